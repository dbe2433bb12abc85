"""An exercise on top, and one whose package is not installed: neither counts against anybody."""

import importlib.util
import json
from dataclasses import replace

import pytest
from typer.testing import CliRunner

import grader.notebook
from grader.cli import app
from grader.formats import classroom50, gradescope, results_json
from grader.grading import CheckSession
from grader.report import CheckResult, ExerciseResult, Run, State, SubmissionResult
from grader.student import LocalStudent
from lesson.course import load_course

COURSE = load_course()
BONUS = COURSE.exercise("exercise5")


@pytest.fixture
def without_torch(monkeypatch):
    find = importlib.util.find_spec
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name == "torch" else find(name))


def submission(bonus: State, others: State = State.PASSED) -> SubmissionResult:
    exercises = tuple(
        ExerciseResult(each, tuple(CheckResult(check, bonus if each.bonus else others) for check in each.checks))
        for each in COURSE.exercises
    )
    return SubmissionResult("somebody", "somebody.py", exercises)


def test_a_bonus_is_not_part_of_the_course_s_points():
    assert COURSE.points == 100
    assert BONUS.bonus
    assert BONUS.points == 5


@pytest.mark.parametrize(
    ("bonus", "points", "state"),
    [
        (State.PASSED, 105, State.PASSED),
        (State.SKIPPED, 100, State.PASSED),
        (State.NOT_ATTEMPTED, 100, State.PASSED),
        (State.FAILED, 100, State.FAILED),
        (State.GRADER_ERROR, None, State.GRADER_ERROR),
    ],
)
def test_points_and_state_of_a_submission(bonus, points, state):
    result = submission(bonus)
    assert (result.points, result.max_points, result.state) == (points, 100, state)


def test_a_bonus_alone_does_not_hide_what_is_missing():
    assert submission(State.PASSED, others=State.NOT_ATTEMPTED).state is State.NOT_ATTEMPTED


@pytest.mark.parametrize("bonus", [State.SKIPPED, State.NOT_ATTEMPTED])
def test_who_left_it_out_sees_nothing_red(bonus):
    tests = gradescope.to_dict(submission(bonus))["tests"]
    assert not any(test["name"].startswith("exercise5") for test in tests)
    assert sum(test["score"] for test in tests) == 100
    assert not any(
        test["test-name"].startswith("exercise5") for test in classroom50.to_dict(submission(bonus))["tests"]
    )


def test_who_tried_it_sees_it():
    assert sum(test["score"] for test in gradescope.to_dict(submission(State.PASSED))["tests"]) == 105
    shown = [test["test-name"] for test in classroom50.to_dict(submission(State.FAILED))["tests"]]
    assert any(name.startswith("exercise5") for name in shown)


def test_skipped_is_a_state_of_the_schema():
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads(results_json.SCHEMA_FILE.read_text(encoding="utf-8"))
    jsonschema.validate(results_json.to_dict(Run(1, "none", "", [submission(State.SKIPPED)])), schema)


def test_without_its_package_an_exercise_is_skipped_with_a_sentence(without_torch, solutions, skeletons):
    checks = CheckSession(COURSE, _NoCases())
    for files in (solutions, skeletons, {}):
        student = LocalStudent(files, COURSE.functions)
        (result,) = checks.grade(student, [BONUS])
        student.close()
        assert result.state is State.SKIPPED
        assert "torch" in result.note
        assert "optional" in result.note
    checks.close()


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
    assert "100/100" in done.output
    assert "0/5 bonus  skipped" in done.output
    assert done.output.count("Skipped, as it needs the package torch") == 1


def test_a_cell_says_so(without_torch):
    shown = grader.notebook.check("exercise5", {})
    assert "Skipped, as it needs the package torch" in repr(shown)
    assert "Skipped, as it needs the package torch" in shown._repr_html_()
    assert shown.points == 0


def test_results_are_graded_again_once_the_package_is_there(without_torch, monkeypatch):
    from grader.formats.stored import conditions_of

    without = conditions_of(1, "none", COURSE)
    assert conditions_of(1, "none", COURSE) == without
    find = importlib.util.find_spec
    monkeypatch.setattr("importlib.util.find_spec", lambda name: find("json") if name == "torch" else find(name))
    assert conditions_of(1, "none", COURSE) != without


def test_an_exercise_may_require_nothing():
    assert replace(BONUS, requires="").can_be_graded_here
    assert not replace(BONUS, requires="no_such_package").can_be_graded_here
