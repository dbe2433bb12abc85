"""`pytest --pyargs grader.checks` says of a submission what `grader check` says."""

import subprocess
import sys
from pathlib import Path

import pytest

from grader.cases.recorded import RecordedCases
from grader.grading import CheckSession, collect_checks
from grader.results import State
from grader.student.here import LocalStudent

ROOT = Path(__file__).parents[2]
BIASES = ROOT / "tests" / "wrong_answers" / "step2" / "bias_gradient_without_sum.py"


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    """A module with one mistake in step 2, step 3 still to be written, and everything else right."""
    folder = tmp_path_factory.mktemp("work")
    source = (ROOT / "solutions" / "recompute.py").read_text(encoding="utf-8")
    unwritten = "\ndef model_forward_checkpointed(x, params, k):\n    raise NotImplementedError\n"
    (folder / "recompute.py").write_text(source + BIASES.read_text(encoding="utf-8") + unwritten, encoding="utf-8")
    return folder


def by_hand(*arguments, cwd):
    # The plugin is named because a test environment need not have the course installed.
    command = [sys.executable, "-m", "pytest", "-p", "grader.checks.pytest_option", "--pyargs", "grader.checks"]
    command = [*command, "-p", "no:cacheprovider", "-rA", *map(str, arguments)]
    environment = {"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    return subprocess.run(command, check=False, capture_output=True, text=True, timeout=120, cwd=cwd, env=environment)


def test_the_same_checks_pass_and_the_same_is_said(course, work, tmp_path):
    exercises = [course.exercise(name) for name in ("step1", "step2", "step3", "step6")]
    student = LocalStudent({"recompute.py": (work / "recompute.py").read_bytes()}, course.functions)
    results = CheckSession(course, RecordedCases()).grade(student, exercises)
    student.close()
    done = by_hand("--submission", work, "-k", "test_step1 or test_step2 or test_step3 or test_step6", cwd=tmp_path)
    assert done.returncode == pytest.ExitCode.TESTS_FAILED
    for result in results:
        for check in result.checks:
            passed = f"PASSED test_{result.exercise.id}.py::test_{check.check.id}" in done.stdout.replace("../", "")
            assert passed == (check.state is State.PASSED), f"{result.exercise.id}.{check.check.id}"
            if check.state in (State.FAILED, State.ERROR):
                assert f"got: {check.feedback.got}" in done.stdout


def test_the_reference_is_right(tmp_path):
    done = by_hand("-k", "test_step2 or test_step6", cwd=tmp_path)
    assert done.returncode == 0, done.stdout


def test_a_path_that_is_not_there_gets_a_sentence(tmp_path):
    done = by_hand("--submission", tmp_path / "nothing", "-k", "nearest", cwd=tmp_path)
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert f"There is no file or folder {tmp_path / 'nothing'}" in done.stdout + done.stderr


def test_every_check_of_the_course_is_a_test_and_every_test_a_check(course):
    assert {name: list(checks) for name, checks in collect_checks().items()} == {
        exercise.id: [check.id for check in exercise.checks] for exercise in course.exercises
    }
