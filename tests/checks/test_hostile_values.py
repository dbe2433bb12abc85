"""Whatever comes back from a student's process, a check ends in a verdict and never in a grader error."""

from pathlib import Path

import pytest
from tampering import Tamperer

from grader.cases.fresh import FreshCases
from grader.grading import CheckSession
from grader.results import State
from lesson.course import load_course

ROOT = Path(__file__).parents[2]
COURSE = load_course()
EXERCISES = [exercise for exercise in COURSE.exercises if exercise.id.startswith("exercise") and not exercise.requires]


@pytest.fixture(scope="module", params=["hidden", "public"])
def checks(request):
    return CheckSession(COURSE, FreshCases(COURSE, 5, public=request.param == "public"))


@pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore:Casting complex")
@pytest.mark.parametrize("rate", [0.01, 0.1, 0.5])
@pytest.mark.parametrize("seed", range(12))
def test_every_check_ends_in_a_verdict(checks, seed, rate):
    student = Tamperer(seed, rate)
    try:
        results = checks.grade(student, EXERCISES)
    finally:
        student.close()
    problems = [
        f"{result.exercise.id}.{check.check.id}: {check.feedback.hidden}"
        for result in results
        for check in result.checks
        if check.state is State.GRADER_ERROR
    ]
    assert not problems, "\n".join(problems)


def test_without_tampering_all_is_well(checks):
    student = Tamperer(0, 0)
    try:
        assert all(result.state is State.PASSED for result in checks.grade(student, EXERCISES))
    finally:
        student.close()
