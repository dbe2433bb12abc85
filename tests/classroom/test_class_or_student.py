"""What makes a folder a class, what makes it one student, and what becomes of everything else in it."""

from pathlib import Path

import pytest
from made_downloads import tarred, zipped

from grader.classroom.roster import take_in
from grader.formats.results_json import SCHEMA

ROOT = Path(__file__).parents[2]
ANSWER = b"def relu(x):\n    return x\n\n\ndef layer_forward(x):\n    return x\n"
OTHER = b"def optimal_segment(n):\n    return 1\n"
WORK = {"recompute.py": ANSWER, "cost_model.py": OTHER}


def write(folder, files):
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return folder


def rows(path, course):
    return [entry.id for entry in take_in([path], course).entries]


def under(name, files):
    return {f"{name}/{path}": data for path, data in files.items()}


@pytest.mark.parametrize(
    "files",
    [
        WORK,
        {**WORK, "helpers.py": b"def help(): pass\n"},
        {**WORK, "offload.py": ANSWER},  # a second definition of the same
        {**WORK, **under("old", WORK), **under("tests", {"test_a.py": ANSWER}), **under("build/lib", WORK)},
        {**WORK, "hw.zip": zipped(WORK)},
        {**WORK, "report.pdf": b"%PDF", "README.md": b"#"},
        {"recompute.py": ANSWER, "recompute (1).py": ANSWER},
        {"recompute.ipynb": b"{}", "recompute.py": ANSWER},
    ],
)
def test_a_student_is_no_class(tmp_path, course, files):
    assert rows(write(tmp_path / "ana", files), course) == ["ana"]


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"ana.py": ANSWER, "ben.py": ANSWER, "recompute.py": ANSWER}, ["ana", "ben", "recompute"]),
        ({**under("ana", WORK), **under("ben", WORK), **WORK}, ["ana", "ben", "cost_model", "recompute"]),
        ({"ana.zip": zipped(WORK), "ben.py": ANSWER, "cost_model.py": OTHER}, ["ana", "ben", "cost_model"]),
        (under("ana", WORK), ["ana"]),
        (under("ana", under("src", WORK)) | under("ben", under("src", WORK)), ["ana", "ben"]),
        (
            {f"{student}/{part}/a.py": ANSWER for student in ("ana", "ben") for part in ("src", "notebooks")},
            ["ana", "ben"],
        ),
        ({f"{student}/v{n}/a.py": ANSWER for student in ("ana", "ben") for n in (1, 2)}, ["ana", "ben"]),
        (under("A", under("ana", WORK) | under("ben", WORK)) | under("B", under("cem", WORK)), ["ana", "ben", "cem"]),
        (under("hw3", under("ana", WORK) | under("ben", WORK)), ["ana", "ben"]),
        (under("section 1", {"ana.py": ANSWER, "ben.py": ANSWER}), ["ana", "ben"]),
        (
            under("A", under("ana", WORK) | under("eva", WORK) | under("fay", WORK))
            | under("B", under("ana", WORK) | under("ben", WORK)),
            ["A/ana", "B/ana", "ben", "eva", "fay"],
        ),
        ({"ana.rar": b"Rar!", "ben.py.txt": ANSWER, "cem.pdf": b"%PDF", "dia": b""}, ["ana", "ben", "cem", "dia"]),
    ],
)
def test_a_class_has_a_row_for_each_student(tmp_path, course, files, expected):
    assert sorted(rows(write(tmp_path / "class", files), course)) == expected


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (WORK, ["x"]),
        (under("hw3", WORK), ["x"]),
        ({"step1.py": ANSWER, "step6.py": ANSWER + OTHER}, ["x"]),
        (under("src", WORK) | under("notebooks", WORK), ["x"]),
        (under("ana", WORK) | under("ben", WORK), ["ana", "ben"]),
        (under("hw3", under("ana", WORK) | under("ben", WORK)), ["ana", "ben"]),
        ({"ana/hw.zip": zipped(WORK), "ben/hw.zip": zipped(WORK)}, ["ana", "ben"]),
        ({"ana.zip": zipped(WORK), "ben.zip": zipped(WORK)}, ["ana", "ben"]),
    ],
)
@pytest.mark.parametrize("pack", [zipped, tarred])
def test_an_archive_is_one_student_or_a_class(tmp_path, course, files, expected, pack):
    path = tmp_path / ("x.zip" if pack is zipped else "x.tar.gz")
    path.write_bytes(pack(files))
    assert rows(path, course) == expected


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("README.md", b"#", "a handout"),
        ("skeleton/recompute.py", ANSWER, "a handout"),
        ("recompute.py", (ROOT / "student_template" / "recompute.py").read_bytes(), "the skeleton"),
        ("grades/run.json", f'{{"schema": "{SCHEMA}"}}'.encode(), "results of an earlier run"),
        ("marks.csv", b"", "not something that is graded"),
        ("photo.JPG", b"", "not something that is graded"),
        (".DS_Store", b"\0", "hidden"),
        ("__MACOSX/._a.py", b"\0", "made by a program"),
        ("venv/lib/a.py", ANSWER, "made by a program"),
        ("conftest.py", b"", "not something that is graded"),
    ],
)
def test_what_lies_about_is_passed_over_and_told(tmp_path, course, name, content, reason):
    folder = write(tmp_path / "class", {"ana.py": ANSWER, "ben.py": ANSWER, name: content})
    intake = take_in([folder], course)
    assert [entry.id for entry in intake.entries] == ["ana", "ben"]
    (passed,) = intake.collected.passed_over
    assert Path(passed.path).name == name.partition("/")[0]
    assert reason in passed.reason


def test_the_roster_and_the_results_are_no_submissions(tmp_path, course):
    folder = write(tmp_path, {"ana.py": ANSWER, "list.txt": b"id,name\nana,Ana\n", "out/a.py": ANSWER})
    intake = take_in([folder], course, folder / "list.txt", [folder / "out"])
    assert [entry.id for entry in intake.entries] == ["ana"]


def test_whatever_stops_the_reading_is_the_graders_error_of_that_student_alone(tmp_path, course, monkeypatch):
    from rich.console import Console

    from grader.classroom import roster
    from grader.classroom.run import RunOptions, run_class

    folder = write(tmp_path / "class", {"ana.py": ANSWER, "ben.py": ANSWER, "cem.py": ANSWER})
    read = roster.read_pieces

    def failing(pieces, student, *rest, **options):
        if student == "ben":
            raise RecursionError("too deep")
        return read(pieces, student, *rest, **options)

    monkeypatch.setattr(roster, "read_pieces", failing)
    for resume in (False, True):
        options = RunOptions(paths=(folder,), output=tmp_path / "grades", seed=1, resume=resume)
        outcome = run_class(options, course, Console(quiet=True))
        states = {result.id: result.state.value for result in outcome.results.submissions}
        assert states.pop("ben") == "grader error"
        assert set(states) == {"ana", "cem"}
        assert "grader error" not in states.values()
