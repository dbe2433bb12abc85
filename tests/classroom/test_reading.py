"""One student's work is read the same as a folder, a ZIP archive and a tarball, and what is not read is named."""

import io
import tarfile
import zipfile

import pytest
from made_downloads import tarred, zipped

from grader import tree
from grader.classroom.roster import take_in
from grader.files import read_submission
from lesson.course import load_course

(PROMPT_FILE,) = load_course().texts.values()

ANSWER = b"def relu(x):\n    return x\n"
SLOW = b"def relu(x):\n    return max(x, 0)\n\n\ndef helper():\n    pass\n"


def packed(folder, content, form):
    """Write a submission as a folder, an archive, or an archive in a folder; returns what to read."""
    folder.mkdir(exist_ok=True)
    if form == "folder":
        for name, data in content.items():
            (folder / "work" / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / "work" / name).write_bytes(data)
        return folder / "work"
    if form == "tar":
        buffer = io.BytesIO()
        with tarfile.open(fileobj=buffer, mode="w") as archive:
            for name, data in content.items():
                member = tarfile.TarInfo(name)
                member.size = len(data)
                archive.addfile(member, io.BytesIO(data))
        (folder / "work.tar").write_bytes(buffer.getvalue())
        return folder / "work.tar"
    suffix, _dash, inside = form.partition("-")
    data = zipped(content) if suffix == "zip" else tarred(content)
    path = folder / "inside" / f"work.{suffix}" if inside else folder / f"work.{suffix}"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data)
    return path.parent if inside else path


FORMS = ["folder", "zip", "tar", "tar.gz", "tgz", "zip-inside", "tar.gz-inside"]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("beside", "kept"),
    [
        ({f"data/img{number}.txt": b"x" for number in range(2100)}, 200),
        ({f".venv/lib/python3.11/site-packages/m{number}.py": ANSWER for number in range(2100)}, 0),
        ({"env3/pyvenv.cfg": b"", "env3/lib/a.py": SLOW}, 0),
        ({"miniconda/conda-meta/history": b"", "miniconda/lib/a.py": SLOW}, 0),
        ({"pyvenv.cfg": b"", "lib/python3.11/a.py": SLOW, "Lib/b.py": SLOW, "Scripts/c.py": SLOW}, 0),
        ({"node_modules/a/b.py": SLOW, "web/node_modules/c.js": b""}, 0),
        ({".history/a_2026.py": SLOW, ".Trash-1000/files/a.py": SLOW, ".idea/x.xml": b""}, 0),
        ({"build/lib/a.py": SLOW, "dist/a.py": SLOW, "pkg.egg-info/a.py": SLOW}, 0),
        ({"old/a.py": SLOW, "backup/a.py": SLOW, "a_old.py": SLOW, "a - Copy.py": SLOW, "Copy of a.py": SLOW}, 0),
        ({"tests/test_a.py": SLOW, "test_b.py": SLOW, "b_test.py": SLOW, "tests.py": SLOW}, 0),
        ({"sub/a-checkpoint.py": SLOW, ".ipynb_checkpoints/a.py": SLOW}, 0),
        ({"__MACOSX/._a.py": b"\0", "._a.py": b"\0", ".DS_Store": b"\0"}, 0),
        ({"config.json": b"{}", "data/w.npy": b"\x93NUMPY", "t.csv": b"1,2", "large.csv": b"1" * 200_001}, 3),
        ({"photo.png": b"\0" * 3_000_000, "model.bin": b"\0" * 100}, 0),
    ],
)
def test_only_the_answer_counts_in_every_form(tmp_path, form, beside, kept):
    found = read_submission(packed(tmp_path / "x", {"a.py": ANSWER, **beside}, form))
    assert found.problem == ""
    assert [name for name in found.files if name.endswith(".py")] == ["a.py"]
    assert found.files["a.py"] == ANSWER
    assert len(found.files) == 1 + kept


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("path", ["tests/a.py", "build/lib/a.py", "old/a.py", "a_old.py", "test_a.py"])
def test_a_test_or_backup_counts_where_it_alone_has_a_function(tmp_path, form, path):
    found = read_submission(packed(tmp_path / "x", {"b.py": b"def optimal_segment(n): pass\n", path: ANSWER}, form))
    assert sorted(found.files) == sorted(["b.py", path])


def test_what_is_left_out_as_a_copy_is_named(tmp_path):
    found = read_submission(packed(tmp_path / "x", {"a.py": ANSWER, "old/a.py": SLOW}, "folder"))
    assert found.notes == ("old/a.py was left out: its name says that it is a test, a copy or a backup.",)


@pytest.mark.parametrize("name", ["checkpoint.py", "gradient_checkpoint.py", "threshold.py", "latest.py", "rebuild.py"])
def test_ordinary_names_are_no_copies(tmp_path, name):
    assert sorted(read_submission(packed(tmp_path / "x", {"a.py": ANSWER, name: SLOW}, "zip")).files) == ["a.py", name]


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("hw.rar", b"Rar!", "hw.rar was not read; pack the files into a .zip archive"),
        ("hw.7z", b"7z", "hw.7z was not read; pack the files into a .zip archive"),
        ("hw.tar.bz2", b"BZh9", "hw.tar.bz2 was not read; pack the files into a .zip archive"),
        ("recompute.py.txt", ANSWER, "recompute.py.txt was not read; rename it to recompute.py"),
        ("recompute.PY.TXT", ANSWER, "rename it to recompute.PY"),
        ("lesson.ipynb.txt", b"{}", "rename it to lesson.ipynb"),
        ("lesson.ipynb.json", b"{}", "rename it to lesson.ipynb"),
        ("lesson.json", b'{"cells": [], "nbformat": 4}', "lesson.json was not read; rename it to lesson.ipynb"),
        ("work.txt", ANSWER, "work.txt was not read; rename it to work.py"),
        ("Recompute.pyw", ANSWER, "rename it to Recompute.py"),
        ("report.pdf", b"%PDF", "report.pdf is a document; hand in the .py file or the notebook"),
        ("work.qmd", b"```{python}\ndef relu(x): pass\n```", "work.qmd is a document"),
        ("work.html", b"<html>", "work.html is a document"),
        ("work.docx", b"PK", "work.docx is a document"),
        ("lesson.md", b"```python\ndef relu(x): pass\n```", "lesson.md is a document"),
        ("utf16.py", "x = 1".encode("utf-16"), "utf16.py is not text in UTF-8, but in UTF-16; save it as UTF-8"),
        ("latin.py", "x = 'é'".encode("latin-1"), "latin.py is not text in UTF-8 and was not read; save it as UTF-8"),
        (".work/a.py", ANSWER, "except in .work, which is not looked into"),
    ],
)
@pytest.mark.parametrize("form", ["folder", "zip", "tar.gz"])
def test_what_is_not_read_is_named_with_what_to_do(tmp_path, name, data, words, form):
    path = packed(tmp_path / "x", {name: data}, form)
    assert words in read_submission(path).problem
    if form == "folder" and "/" not in name:
        assert words in read_submission(path / name).problem


@pytest.mark.parametrize("name", ["rest.rar", "b.py.txt", "b.ipynb.json"])
def test_what_is_not_read_is_named_beside_an_answer_too(tmp_path, name):
    found = read_submission(packed(tmp_path / "x", {"a.py": ANSWER, name: b""}, "zip"))
    assert list(found.files) == ["a.py"]
    assert name in found.notes[0]


def test_a_marimo_notebook_is_told_what_it_is(tmp_path):
    source = b"import marimo\n\napp = marimo.App()\n\n\n@app.cell\ndef _():\n    def relu(x): pass\n"
    found = read_submission(packed(tmp_path / "x", {"ana.py": source}, "zip"))
    assert "ana.py is a marimo notebook" in found.notes[0]


def test_the_prompt_alone_is_a_submission(tmp_path):
    found = read_submission(packed(tmp_path / "x", {PROMPT_FILE: b"Decide."}, "zip"))
    assert (list(found.files), found.problem) == ([PROMPT_FILE], "")


def test_a_suffix_in_capitals_is_a_suffix(tmp_path):
    assert list(read_submission(packed(tmp_path / "x", {"RECOMPUTE.PY": ANSWER}, "zip")).files) == ["RECOMPUTE.py"]


def test_an_archive_made_on_windows_has_folders(tmp_path):
    with zipfile.ZipFile(tmp_path / "w.zip", "w") as archive:
        member = zipfile.ZipInfo("x")
        member.filename = "work\\deep\\a.py"
        archive.writestr(member, ANSWER)
    assert list(read_submission(tmp_path / "w.zip").files) == ["work/deep/a.py"]


def test_an_archive_is_opened_beside_other_files(tmp_path):
    content = {"a.py": ANSWER, "hw.zip": zipped({"b.py": SLOW, "pkg/c.py": SLOW})}
    assert sorted(read_submission(packed(tmp_path / "x", content, "folder")).files) == ["a.py", "b.py", "pkg/c.py"]


def test_an_archive_of_another_state_counts_only_for_what_is_new_in_it(tmp_path):
    other = {"a.py": SLOW, "b.py": b"def optimal_segment(n): pass\n"}
    content = {"a.py": ANSWER, "hw.zip": zipped(other), "again.zip": zipped({"a.py": ANSWER})}
    found = read_submission(packed(tmp_path / "x", content, "folder"))
    assert sorted(found.files) == ["a.py", "hw.zip/b.py"]
    assert found.notes == ("hw.zip/a.py was left out: a file beside the archive has its functions too.",)


def test_archives_are_opened_one_inside_another_and_no_further(tmp_path):
    two = {"hw.zip": zipped({"a.py": ANSWER})}
    assert list(read_submission(packed(tmp_path / "x", two, "zip")).files) == ["a.py"]
    three = {"outer.zip": zipped(two)}
    assert "outer.zip/hw.zip" not in read_submission(packed(tmp_path / "y", three, "folder")).problem
    assert "an archive inside archives" in read_submission(packed(tmp_path / "z", three, "zip")).problem


def test_one_damaged_member_does_not_take_the_others_along(tmp_path):
    with zipfile.ZipFile(tmp_path / "w.zip", "w") as archive:
        archive.writestr("a.py", ANSWER)
        archive.writestr("b.py", SLOW)
    data = bytearray((tmp_path / "w.zip").read_bytes())
    data[data.index(SLOW)] ^= 1
    (tmp_path / "w.zip").write_bytes(data)
    found = read_submission(tmp_path / "w.zip")
    assert list(found.files) == ["a.py"]
    assert found.notes == ("b.py cannot be read: it is damaged.",)


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_an_inner_archive_is_unpacked_by_no_other_method_either(tmp_path, course, method):
    with zipfile.ZipFile(tmp_path / "class.zip", "w") as archive:
        archive.writestr("Ana_1_assignsubmission_file_/hw.zip", zipped({"a.py": ANSWER}), method)
        archive.writestr("Ben_2_assignsubmission_file_hw.zip", zipped({"a.py": ANSWER}), method)
        archive.writestr("Cem_3_assignsubmission_file_/hw.zip", zipped({"a.py": ANSWER}))
    rows = {entry.id: entry.read() for entry in take_in([tmp_path / "class.zip"], course).entries}
    assert len(rows) == 3
    refused = [row.problem for row in rows.values() if row.problem]
    assert len(refused) == 2
    assert all("compressed in a way that is not read" in problem for problem in refused)


def test_a_damaged_inner_archive_is_named(tmp_path):
    inner = zipped({"b.py": SLOW})
    with zipfile.ZipFile(tmp_path / "w.zip", "w") as archive:
        archive.writestr("a.py", ANSWER)
        archive.writestr("hw.zip", inner)
    data = bytearray((tmp_path / "w.zip").read_bytes())
    data[data.index(inner) + 40] ^= 1
    (tmp_path / "w.zip").write_bytes(data)
    found = read_submission(tmp_path / "w.zip")
    assert (list(found.files), found.notes) == (["a.py"], ("hw.zip is not a ZIP archive that can be read.",))


def test_a_submission_deeper_or_longer_than_the_limits_gets_a_sentence(tmp_path):
    deep = "d/" * 30 + "a.py"
    long = "n" * 200 + "/" + "m" * 200 + "/a.py"
    for form in FORMS:
        found = read_submission(packed(tmp_path / form, {deep: ANSWER, long: ANSWER}, form))
        assert "deep" in found.problem or "inside each other" in found.problem
        assert "too long a name" in found.problem


def test_more_entries_than_are_listed_get_a_sentence(tmp_path, monkeypatch):
    monkeypatch.setattr(tree, "MAX_ENTRIES", 20)
    content = {f"data/{number}.bin": b"" for number in range(30)} | {"a.py": ANSWER}
    for form in FORMS:
        assert "more than 20 files" in read_submission(packed(tmp_path / form, content, form)).problem
