"""A class of thirty in every form of download: each student one row, with what they have handed in."""

from pathlib import PurePosixPath

import pytest
from made_downloads import DOWNLOADS, made_class, rows_of, zipped

from grader.classroom.downloads import recognise
from grader.classroom.roster import take_in
from grader.classroom.run import RunOptions, run_class
from grader.tree import File

COUNT = 30


@pytest.fixture(scope="module")
def students(solutions):
    right = {name: data for name, data in solutions.items() if name.endswith(".py")}
    return made_class(COUNT, right, b"def relu(x):\n    return x\n")


def by_name(files):
    return {PurePosixPath(path).name: data for path, data in files.items()}


def expected(student, right):
    """What counts of a student's work; None when it cannot be read."""
    if not student.files or "broken.zip" in student.files:
        return None
    return dict(student.files) if "recompute.py" in student.files else right


@pytest.mark.parametrize("form", DOWNLOADS)
def test_every_student_has_one_row_with_what_counts(tmp_path, course, students, form):
    download = DOWNLOADS[form]
    right = students[0].files
    intake = take_in([download.make(tmp_path, students)], course)
    rows = dict(rows_of(download, students))
    assert sorted(entry.id for entry in intake.entries) == sorted(rows)
    for entry in intake.entries:
        student = rows[entry.id]
        submission = entry.read()
        assert not submission.fault
        wanted = expected(student, right)
        assert bool(submission.problem) == (wanted is None)
        assert by_name(submission.files) == (wanted or {})
        assert any("earlier" in note for note in submission.notes) == (download.attempts and bool(student.earlier))
        assert submission.late == (download.late and student.late)
        assert submission.late == any("late" in note for note in submission.notes)


@pytest.mark.parametrize("form", [form for form in DOWNLOADS if DOWNLOADS[form].says])
def test_the_form_is_said_on_one_line(tmp_path, course, students, form):
    intake = take_in([DOWNLOADS[form].make(tmp_path, students)], course)
    assert intake.collected.layouts[0].startswith(DOWNLOADS[form].says)
    assert len(intake.collected.layouts) == 1
    if form == "moodle_folders":
        assert intake.collected.layouts == [
            f"Moodle, one folder for each student: {COUNT} students, {COUNT // 6} without a file."
        ]


@pytest.mark.parametrize("form", DOWNLOADS)
def test_no_entry_vanishes(tmp_path, course, students, form):
    intake = take_in([DOWNLOADS[form].make(tmp_path, students)], course)
    used = {piece.node.path for entry in intake.entries for piece in entry.pieces}
    told = used | {passed.path for passed in intake.collected.passed_over}
    if form == "moodle_archive":
        assert len(told) == sum(bool(each.files) for each in students)
    else:
        assert {str(entry) for entry in tmp_path.glob("section */*" if form == "sections" else "*")} == told


@pytest.mark.parametrize("form", ["moodle_folders", "canvas", "blackboard", "brightspace", "shared_drive"])
def test_a_roster_finds_students_by_their_names(tmp_path, course, students, form):
    (tmp_path / "class").mkdir()
    path = DOWNLOADS[form].make(tmp_path / "class", students)
    lines = [f"{each.number:03};{each.name.rpartition(' ')[2]}, {each.name.rpartition(' ')[0]}" for each in students]
    (tmp_path / "roster.csv").write_text("id;name\n" + "\n".join(lines) + "\n", encoding="utf-8")
    intake = take_in([path], course, tmp_path / "roster.csv")
    missing = [each for each in students if not DOWNLOADS[form].shows(each)]
    assert sorted(entry.id for entry in intake.entries) == [f"{number:03}" for number in range(COUNT)]
    assert len(intake.unmatched) == len(missing)


@pytest.mark.slow
@pytest.mark.parametrize("form", DOWNLOADS)
def test_points_are_those_of_the_same_files_alone(tmp_path, course, students, form, classroom):
    from rich.console import Console

    from grader.files import Submission

    (tmp_path / "class").mkdir()
    path = DOWNLOADS[form].make(tmp_path / "class", students)
    outcome = run_class(
        RunOptions(paths=(path,), output=tmp_path / "grades", seed=11, jobs=2), course, Console(quiet=True)
    )
    rows = dict(rows_of(DOWNLOADS[form], students))
    alone = {}
    for result in outcome.results.submissions:
        wanted = expected(rows[result.id], students[0].files)
        key = tuple(sorted(wanted)) if wanted else ()
        if key not in alone:
            alone[key] = classroom.grade(Submission("alone", "", wanted)).points if wanted else 0
        assert result.points == alone[key]
    assert len(outcome.results.submissions) == len(rows)


def names(*entries):
    return [File(name, name, 0, lambda _limit: b"") for name in entries]


def test_an_underscore_in_a_login_merges_nobody(tmp_path, course):
    for login in ("ana_alba", "eva_alba"):
        (tmp_path / f"Home_work_{login}_attempt_2026-11-01-10-00-00_a.py").write_bytes(b"def relu(x): return x\n")
    assert [entry.id for entry in take_in([tmp_path], course).entries] == ["ana_alba", "eva_alba"]


def test_each_of_gradescopes_folders_may_have_its_own_metadata(tmp_path, course):
    for number, name in enumerate(("Ana Alba", "Ben Boer")):
        folder = tmp_path / f"submission_{number}"
        folder.mkdir()
        (folder / "a.py").write_bytes(b"def relu(x): return x\n")
        (folder / "metadata.yml").write_text(f"submitters:\n- name: {name}\n  sid: 'x{number}'\n", encoding="utf-8")
    assert {entry.id: entry.name for entry in take_in([tmp_path], course).entries} == {
        "x0": "Ana Alba",
        "x1": "Ben Boer",
    }


@pytest.mark.parametrize(
    "entries",
    [
        ("lab_1_2_ana.py", "lab_1_2_ben.py"),  # neither Canvas' numbers
        ("step-1.py", "step-2.py"),
        ("ana.py", "ben.py", "cem.py"),
        ("recompute.py", "cost_model.py", "selective.py"),
        ("old_recompute.py", "recompute.py"),
        ("test_recompute.py", "test_cost_model.py"),
    ],
)
def test_ordinary_names_are_no_download(entries):
    assert recognise(names(*entries)) is None


def test_the_last_upload_of_a_file_counts_and_the_other_is_named(tmp_path, course):
    (tmp_path / "albaana_4401_98001_a.py").write_bytes(b"relu = 1\n")
    (tmp_path / "albaana_LATE_4401_98002_a-1.py").write_bytes(b"relu = 2\n")
    (entry,) = take_in([tmp_path], course).entries
    submission = entry.read()
    assert submission.files == {"a.py": b"relu = 2\n"}
    assert submission.late
    assert "albaana_4401_98001_a.py" in submission.notes[0]


def test_own_numbered_files_are_not_uploads_of_one_file(tmp_path, course):
    for number in (1, 2):
        (tmp_path / f"albaana_4401_9800{number}_part-{number}.py").write_bytes(b"def relu(x): return x\n")
    (entry,) = take_in([tmp_path], course).entries
    assert sorted(entry.read().files) == ["part-1.py", "part-2.py"]


def test_what_was_typed_counts_where_there_is_nothing_else(tmp_path, course):
    (tmp_path / "Ana Alba_1_assignsubmission_file_").mkdir()
    (tmp_path / "Ana Alba_1_assignsubmission_onlinetext_").mkdir()
    (tmp_path / "Ana Alba_1_assignsubmission_onlinetext_" / "onlinetext.html").write_bytes(b"<p>def relu(x)</p>")
    (entry,) = take_in([tmp_path], course).entries
    assert "onlinetext.html is a document" in entry.read().problem


def test_months_in_words_sort_by_time(tmp_path, course):
    for time in ("Apr 2, 2026 900 AM", "Mar 30, 2026 1100 PM", "2 April, 2026 1000 AM"):
        folder = tmp_path / f"1-2 - Ana Alba - {time}"
        folder.mkdir()
        (folder / "a.py").write_text(f"relu = {time!r}\n", encoding="utf-8")
    (entry,) = take_in([tmp_path], course).entries
    assert b"1000 AM" in entry.read().files["a.py"]


def test_numbered_copies_are_a_row_each(tmp_path, course, solutions):
    for name in ("recompute.py", "recompute (1).py", "recompute(2).py"):
        (tmp_path / name).write_bytes(solutions["recompute.py"])
    intake = take_in([tmp_path], course)
    assert sorted(entry.id for entry in intake.entries) == ["recompute", "recompute (1)", "recompute(2)"]
    assert "do not say whose" in intake.collected.layouts[0]


def test_files_with_names_and_modules_are_put_together(tmp_path, course, solutions):
    for name in ("ana_recompute.py", "ana_cost_model.py", "recompute-ben.py", "ben - cost_model.py", "12345_policy.py"):
        (tmp_path / name).write_bytes(b"def relu(x): return x\n")
    entries = take_in([tmp_path], course).entries
    assert {entry.id: sorted(entry.read().files) for entry in entries} == {
        "ana": ["cost_model.py", "recompute.py"],
        "ben": ["cost_model.py", "recompute.py"],
        "12345": ["policy.py"],
    }


def test_two_submitters_of_one_submission_are_both_named(tmp_path, course):
    (tmp_path / "submission_1").mkdir()
    (tmp_path / "submission_1" / "a.py").write_bytes(b"def relu(x): return x\n")
    (tmp_path / "submission_metadata.yml").write_text(
        "submission_1:\n  :submitters:\n  - :name: Ana Alba\n    :sid: '1'\n  - :name: Ben Boer\n    :sid: '2'\n"
        "  :history:\n  - :id: 5\n    :name: not a person\n",
        encoding="utf-8",
    )
    (entry,) = take_in([tmp_path], course).entries
    assert (entry.id, entry.name) == ("1", "Ana Alba, Ben Boer")


def test_a_download_in_a_download_is_found(tmp_path, course, students):
    inner = {"ana/hw.zip": zipped(students[0].files), "ben/hw.zip": zipped(students[0].files)}
    (tmp_path / "Assignment3.zip").write_bytes(zipped(inner))
    for path in (tmp_path, tmp_path / "Assignment3.zip"):
        entries = take_in([path], course).entries
        assert [entry.id for entry in entries] == ["ana", "ben"]
        assert all(by_name(entry.read().files) == students[0].files for entry in entries)
