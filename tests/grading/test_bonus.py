"""An exercise on top, and one whose package is not installed: neither counts against anybody."""

import importlib
import importlib.util
import json
import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

import grader.notebook
from grader.classroom.room import Classroom, Settings
from grader.commands.main import app
from grader.files import Submission
from grader.formats import classroom50, gradescope, results_json
from grader.grading import CheckSession
from grader.isolation.sandbox import detect
from grader.isolation.zygote import Zygote
from grader.results import CheckResult, ExerciseResult, RunResults, State, SubmissionResult
from grader.student.here import LocalStudent
from lesson.course import load_course

COURSE = load_course()
BONUS = COURSE.exercise("exercise5")
# What all others are worth together; the course may have a bonus among them.
OTHERS = sum(each.points for each in COURSE.exercises if each != BONUS)
SOLUTION = (Path(__file__).parents[2] / "solutions" / "torch_benchmark.py").read_bytes()


@pytest.fixture
def without_torch(monkeypatch):
    find = importlib.util.find_spec
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name == "torch" else find(name))


def submission(bonus: State, others: State = State.PASSED) -> SubmissionResult:
    exercises = tuple(
        ExerciseResult(each, tuple(CheckResult(check, bonus if each == BONUS else others) for check in each.checks))
        for each in COURSE.exercises
    )
    return SubmissionResult(id="somebody", path="somebody.py", exercises=exercises)


def test_a_bonus_is_not_part_of_the_course_s_points():
    assert BONUS.bonus
    assert COURSE.points == sum(each.points for each in COURSE.exercises if not each.bonus)


@pytest.mark.parametrize(
    ("bonus", "points", "state"),
    [
        (State.PASSED, OTHERS + BONUS.points, State.PASSED),
        (State.SKIPPED, OTHERS, State.PASSED),
        (State.NOT_ATTEMPTED, OTHERS, State.PASSED),
        (State.FAILED, OTHERS, State.FAILED),
        (State.GRADER_ERROR, None, State.GRADER_ERROR),
    ],
)
def test_points_and_state_of_a_submission(bonus, points, state):
    result = submission(bonus)
    assert (result.points, result.max_points, result.state) == (points, COURSE.points, state)


def test_a_bonus_alone_does_not_hide_what_is_missing():
    assert submission(State.PASSED, others=State.NOT_ATTEMPTED).state is State.NOT_ATTEMPTED


@pytest.mark.parametrize("bonus", [State.SKIPPED, State.NOT_ATTEMPTED])
def test_who_left_it_out_sees_nothing_red(bonus):
    tests = gradescope.to_dict(submission(bonus))["tests"]
    assert not any(test["name"].startswith("exercise5") for test in tests)
    assert sum(test["score"] for test in tests) == OTHERS
    assert not any(
        test["test-name"].startswith("exercise5") for test in classroom50.to_dict(submission(bonus))["tests"]
    )


def test_who_tried_it_sees_it():
    tests = gradescope.to_dict(submission(State.PASSED))["tests"]
    assert sum(test["score"] for test in tests) == OTHERS + BONUS.points
    shown = [test["test-name"] for test in classroom50.to_dict(submission(State.FAILED))["tests"]]
    assert any(name.startswith("exercise5") for name in shown)


def test_skipped_is_a_state_of_the_schema():
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads(results_json.SCHEMA_FILE.read_text(encoding="utf-8"))
    jsonschema.validate(results_json.to_dict(RunResults(1, "none", "", [submission(State.SKIPPED)])), schema)


def test_without_its_package_an_exercise_is_skipped_with_a_sentence(without_torch, skeletons):
    checks = CheckSession(COURSE, _NoCases())
    for files in ({"torch_benchmark.py": SOLUTION}, skeletons, {}):
        student = LocalStudent(files, COURSE.functions, texts=COURSE.texts)
        (result,) = checks.grade(student, [BONUS])
        student.close()
        assert result.state is State.SKIPPED
        assert "torch" in result.note
        assert "optional" in result.note


class _NoCases:
    public = True
    reference = {}

    def of(self, exercise_id):
        raise AssertionError("nothing is asked")


@pytest.fixture
def skeletons():
    return {"torch_benchmark.py": b"def run_blocks(blocks, x, mode, segment_size=1):\n    raise NotImplementedError\n"}


def test_check_passes_without_it(without_torch, solutions, tmp_path):
    for name, content in solutions.items():
        (tmp_path / name).write_bytes(content)
    done = CliRunner().invoke(app, ["check", str(tmp_path)])
    assert done.exit_code == 0, done.output
    assert f"{OTHERS}/{COURSE.points}" in done.output
    assert f"0/{BONUS.points} bonus  skipped" in done.output
    assert done.output.count("Skipped, as it needs the package torch") == 1


def test_a_cell_says_so(without_torch):
    shown = grader.notebook.check("exercise5", {})
    assert "Skipped, as it needs the package torch" in repr(shown)
    assert "Skipped, as it needs the package torch" in shown._repr_html_()
    assert shown.points == 0


@pytest.fixture
def broken_torch(tmp_path, monkeypatch):
    """A package that is installed and cannot be imported."""
    if "torch" in sys.modules:
        pytest.skip("PyTorch has been imported")
    package = tmp_path / "packages" / "torch"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("raise ImportError('a library is missing')\n")
    monkeypatch.syspath_prepend(package.parent)
    importlib.invalidate_caches()
    return package


def test_a_broken_package_costs_its_own_exercise_and_no_other(broken_torch, solutions, monkeypatch):
    started = []
    original = Zygote.__init__

    def noted(self, isolation, importable, package=""):
        started.append(package)
        original(self, isolation, importable, package)

    monkeypatch.setattr(Zygote, "__init__", noted)
    room = Classroom(COURSE, Settings(seed=3, isolation=detect()))
    try:
        results = [
            room.grade(Submission("s", "s", {**solutions, "torch_benchmark.py": SOLUTION})) for _number in range(2)
        ]
    finally:
        room.close()
    for result in results:
        states = {each.exercise.id: each.state for each in result.exercises}
        assert states.pop("exercise5") is State.GRADER_ERROR
        assert set(states.values()) == {State.PASSED}
        assert "a library is missing" in result.exercises[-1].checks[0].feedback.hidden
    assert started.count("torch") == 1


def test_a_broken_package_does_not_stop_a_check(broken_torch, solutions, tmp_path):
    work = tmp_path / "work"
    work.mkdir()
    for name, content in {**solutions, "torch_benchmark.py": SOLUTION}.items():
        (work / name).write_bytes(content)
    done = CliRunner().invoke(app, ["check", str(work)])
    assert done.exit_code == 0, done.output
    assert f"{OTHERS}/{COURSE.points}" in done.output
    assert "ImportError: a library is missing" in " ".join(done.output.split())


def test_a_folder_that_was_left_behind_is_not_a_package(broken_torch):
    (broken_torch / "__init__.py").unlink()
    (broken_torch.parent / "left_behind").mkdir()
    importlib.invalidate_caches()
    assert importlib.util.find_spec("left_behind") is not None
    assert not replace(BONUS, requires="left_behind").can_be_graded_here


def test_where_a_package_of_the_run_is_missing_the_grader_is_at_fault(without_torch):
    room = Classroom(COURSE, Settings(seed=3, isolation=detect(), packages=frozenset({"torch"})))
    try:
        result = room.grade(Submission("s", "s", {"torch_benchmark.py": SOLUTION}))
    finally:
        room.close()
    assert result.exercises[-1].state is State.GRADER_ERROR
    assert result.points is None


@pytest.mark.parametrize("state", [State.SKIPPED, State.NOT_ATTEMPTED])
def test_a_bonus_that_was_begun_is_not_left_out(state):
    checks = tuple(
        CheckResult(check, State.PASSED if index == 1 else state) for index, check in enumerate(BONUS.checks)
    )
    begun = ExerciseResult(BONUS, checks)
    assert not begun.left_out
    result = replace(submission(state), exercises=(*submission(state).exercises[:-1], begun))
    tests = gradescope.to_dict(result)["tests"]
    assert sum(test["score"] for test in tests) == result.points == OTHERS + BONUS.checks[1].points


@pytest.mark.parametrize("exercise", ["exercise5", "step1"])
def test_who_asks_for_an_exercise_alone_is_told_that_it_is_open(without_torch, tmp_path, exercise):
    (tmp_path / "empty.py").write_text("")
    assert CliRunner().invoke(app, ["check", str(tmp_path), "--step", exercise]).exit_code == 1


def test_full_points_are_full_with_a_bonus_too(tmp_path):
    jinja2 = pytest.importorskip("jinja2")
    assert jinja2
    from grader.formats import html

    students = [replace(submission(state), id=state) for state in (State.PASSED, State.SKIPPED)]
    page = html.write_report(RunResults(1, "none", "", students), tmp_path / "report")
    text = " ".join(re.sub(r"<[^>]+>", " ", page.read_text(encoding="utf-8")).split())
    assert "full points 2" in text


def test_results_are_graded_again_once_the_package_is_there(without_torch, monkeypatch):
    from grader.classroom.store import conditions_of

    without = conditions_of(1, "none", COURSE.packages)
    assert conditions_of(1, "none", COURSE.packages) == without
    find = importlib.util.find_spec
    monkeypatch.setattr("importlib.util.find_spec", lambda name: find("json") if name == "torch" else find(name))
    assert conditions_of(1, "none", COURSE.packages) != without


def test_an_exercise_may_require_nothing():
    assert replace(BONUS, requires="").can_be_graded_here
    assert not replace(BONUS, requires="no_such_package").can_be_graded_here
