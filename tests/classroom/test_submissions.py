"""Intake: what is read, what is ignored, and a sentence for what is refused."""

import io
import os
import stat
import zipfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from grader import files
from grader.classroom.submissions import collect
from grader.files import read_submission

ANSWER = b"def relu(x):\n    return x\n"


def archive(path, members):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in members:
            file.writestr(name, data)
    return path


def test_a_file_a_folder_and_an_archive_are_read(tmp_path):
    (tmp_path / "work" / "deep").mkdir(parents=True)
    (tmp_path / "work" / "deep" / "a.py").write_bytes(ANSWER)
    (tmp_path / "work" / "photo.png").write_bytes(b"ignored")
    assert read_submission(tmp_path / "work").files == {"deep/a.py": ANSWER}
    assert read_submission(tmp_path / "work" / "deep" / "a.py").files == {"a.py": ANSWER}
    assert read_submission(archive(tmp_path / "w.zip", [("x/a.py", ANSWER)])).files == {"x/a.py": ANSWER}


def test_a_folder_with_a_topic_module_is_one_submission_any_other_a_class(tmp_path, course):
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "recompute.py").write_bytes(ANSWER)
    assert [each.id for each in collect([tmp_path / "one"], course).found] == ["one"]
    (tmp_path / "b.py").write_bytes(ANSWER)
    (tmp_path / ".hidden").mkdir()
    (tmp_path / "readme.txt").write_bytes(b"")
    collected = collect([tmp_path], course)
    assert [each.id for each in collected.found] == ["b", "one"]
    assert [Path(passed.path).name for passed in collected.passed_over] == [".hidden", "readme.txt"]


@pytest.mark.parametrize(
    ("name", "data", "noted"),
    [
        ("conftest.py", ANSWER, True),
        ("pytest.ini", b"", True),
        ("sitecustomize.py", ANSWER, True),
        ("x.pth", b"", True),
        ("x.pyc", b"", True),
        ("__MACOSX/._a.py", ANSWER, False),
        (".DS_Store", b"\0", False),
        ("._a.py", b"\0\0", False),
        (".ipynb_checkpoints/a.py", ANSWER, False),
        ("__pycache__/a.py", ANSWER, False),
        (".git/a.py", ANSWER, False),
        ("venv/lib/a.py", ANSWER, False),
        ("photo.png", b"\0\1", False),
    ],
)
def test_what_does_not_count_is_ignored(tmp_path, name, data, noted):
    folder = tmp_path / "work"
    (folder / name).parent.mkdir(parents=True)
    (folder / name).write_bytes(data)
    (folder / "answer.py").write_bytes(ANSWER)
    for path in (folder, archive(tmp_path / "w.zip", [("answer.py", ANSWER), (name, data)])):
        found = read_submission(path)
        assert found.files == {"answer.py": ANSWER}
        assert found.problem == ""
        assert bool(found.notes) == noted
        assert not noted or name in found.notes[0]


def test_a_virtual_environment_of_any_name_is_ignored(tmp_path):
    (tmp_path / "my_env").mkdir()
    (tmp_path / "my_env" / "pyvenv.cfg").write_bytes(b"")
    (tmp_path / "my_env" / "a.py").write_bytes(ANSWER)
    (tmp_path / "b.py").write_bytes(ANSWER)
    assert list(read_submission(tmp_path).files) == ["b.py"]


@pytest.mark.parametrize(
    "data",
    [
        b"\xff\xfe\0a",
        b"a\0b",
        "x = 'é'".encode("latin-1"),
        b"# coding: rot13\n",
        b"# coding: nonsense\n",
        b"# coding: punycode\nx = 1\n",
    ],
)
def test_a_python_file_that_is_not_text_is_refused_by_name(tmp_path, data):
    (tmp_path / "bad.py").write_bytes(data)
    assert "bad.py is not text" in read_submission(tmp_path / "bad.py").problem
    (tmp_path / "good.py").write_bytes(ANSWER)
    found = read_submission(tmp_path)
    assert list(found.files) == ["good.py"]
    assert "bad.py is not text" in found.notes[0]


@pytest.mark.parametrize(
    "data",
    [
        "x = 'é'".encode(),
        b"\xef\xbb\xbfx = 1",
        "# coding: latin-1\nx = 'é'".encode("latin-1"),
        b"x = 1\r\ny = 2\r\n",
        b"",
    ],
)
def test_encodings_as_python_reads_them(tmp_path, data):
    (tmp_path / "a.py").write_bytes(data)
    assert read_submission(tmp_path / "a.py").files == {"a.py": data}


def test_links_and_devices_are_refused_by_name(tmp_path):
    secret = tmp_path / "secret.py"
    secret.write_bytes(ANSWER)
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "soft.py").symlink_to(secret)
    (folder / "soft_folder").symlink_to(tmp_path)
    os.link(secret, folder / "hard.py")
    os.mkfifo(folder / "pipe.py")
    found = read_submission(folder)
    assert found.files == {}
    for name in ("soft.py", "soft_folder", "hard.py", "pipe.py"):
        assert name in found.problem
    (tmp_path / "link.zip").symlink_to(archive(tmp_path / "w.zip", [("a.py", ANSWER)]))
    assert "link.zip is a symbolic link" in read_submission(tmp_path / "link.zip").problem


@pytest.mark.parametrize("name", ["../up.py", "/etc/absolute.py", "a/../../up.py", "C:\\x.py", "..\\up.py", "\\x.py"])
def test_an_archive_that_points_outside_is_refused(tmp_path, name):
    problem = read_submission(archive(tmp_path / "w.zip", [("a.py", ANSWER), (name, ANSWER)])).problem
    assert "w.zip holds" in problem
    assert "outside" in problem


def test_a_symbolic_link_in_an_archive_is_refused(tmp_path):
    link = zipfile.ZipInfo("link.py")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    found = read_submission(archive(tmp_path / "w.zip", [("a.py", ANSWER), (link, b"/etc/passwd")]))
    assert list(found.files) == ["a.py"]
    assert "link.py is a link" in found.notes[0]


def test_an_archive_bomb_is_refused(tmp_path, monkeypatch):
    bomb = archive(tmp_path / "w.zip", [("a.py", b"#" * 10_000_000)])
    assert "larger than 2 MB" in read_submission(bomb).problem
    many = archive(tmp_path / "m.zip", [(f"a{i}.py", b"#" * 400) for i in range(4)])
    monkeypatch.setattr(files, "MAX_FILES", 3)
    assert "more than 3 files" in read_submission(many).problem
    monkeypatch.setattr(files, "MAX_TOTAL_BYTES", 1000)
    assert "larger than" in read_submission(many).problem


def test_a_size_that_lies_is_found_out(tmp_path):
    path = archive(tmp_path / "w.zip", [("a.py", b"#" * 3_000_000)])
    data = bytearray(path.read_bytes())
    for position in range(len(data) - 4):  # both headers hold the size
        if data[position : position + 4] == (3_000_000).to_bytes(4, "little"):
            data[position : position + 4] = (10).to_bytes(4, "little")
    path.write_bytes(data)
    found = read_submission(path)
    assert found.problem
    assert found.files == {}


def test_an_encrypted_archive_is_refused(tmp_path):
    path = archive(tmp_path / "w.zip", [("a.py", ANSWER)])
    data = bytearray(path.read_bytes())
    data[data.index(b"PK\x01\x02") + 8] |= 1
    data[data.index(b"PK\x03\x04") + 6] |= 1
    path.write_bytes(data)
    assert "w.zip is encrypted" in read_submission(path).problem


def test_the_same_name_twice_is_refused(tmp_path):
    with pytest.warns(UserWarning, match="Duplicate"):
        path = archive(tmp_path / "w.zip", [("a.py", ANSWER), ("a.py", b"")])
    assert "twice" in read_submission(path).problem


def test_what_is_not_there_gets_a_sentence(tmp_path):
    assert "no file or folder" in read_submission(tmp_path / "missing").problem
    (tmp_path / "empty").mkdir()
    assert "no notebook in empty" in read_submission(tmp_path / "empty").problem


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_what_may_not_be_read_gets_a_sentence(tmp_path):
    (tmp_path / "a.py").write_bytes(ANSWER)
    (tmp_path / "a.py").chmod(0)
    assert "a.py cannot be read" in read_submission(tmp_path / "a.py").problem


NAMES = st.sampled_from(["a.py", "x/a.py", "../b.py", "/c.py", "d\\e.py", "", ".", "..", "a.ipynb", "\0.py", "C:f.py"])
MEMBERS = st.lists(st.tuples(NAMES | st.text(max_size=8), st.binary(max_size=60)), max_size=5)


@pytest.mark.filterwarnings("ignore:Duplicate name")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150)
@given(MEMBERS, st.lists(st.tuples(st.integers(0, 2000), st.integers(0, 255)), max_size=6))
def test_no_archive_however_damaged_ends_in_a_traceback(tmp_path, members, damage):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        for name, data in members:
            try:
                file.writestr(name, data)
            except (ValueError, IndexError):
                continue
    content = bytearray(buffer.getvalue())
    for position, value in damage:
        if position < len(content):
            content[position] = value
    path = tmp_path / "fuzz.zip"
    path.write_bytes(content)
    found = read_submission(path)
    assert found.problem or found.files
    assert all(".." not in name.split("/") and not name.startswith("/") for name in found.files)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=100)
@given(st.binary(max_size=300))
def test_no_python_file_however_damaged_ends_in_a_traceback(tmp_path, data):
    path = tmp_path / "fuzz.py"
    path.write_bytes(data)
    found = read_submission(path)
    assert bool(found.problem) != bool(found.files)
