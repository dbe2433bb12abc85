"""Whatever a student's process says of a run in PyTorch, the checks end in a verdict, never in a grader error."""

import pytest

pytest.importorskip("torch")

from tampering import Tamperer

from grader.cases.fresh import FreshCases
from grader.grading import CheckSession
from grader.results import State
from grader.student.here import LocalStudent
from lesson.course import load_course

COURSE = load_course()
EXERCISE = COURSE.exercise("exercise5")


class TampererInPyTorch(Tamperer):
    """What is measured is measured once; only the tampering differs from one to the next."""

    measured = {}

    def probe(self, name, /, **values):
        return self._tampered(self._honest(name, values))

    def probe_without_student(self, name, /, **values):
        return self._honest(name, values)

    def _honest(self, name, values):
        key = (name, values.get("mode"), values.get("segment_size"), values.get("seed"))
        if key not in self.measured:
            self.measured[key] = LocalStudent.probe(self, name, **values)
        return self.measured[key]


@pytest.fixture(scope="module", params=["hidden", "public"])
def checks(request):
    return CheckSession(COURSE, FreshCases(COURSE, 5, public=request.param == "public"))


@pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore:Casting complex")
@pytest.mark.parametrize("rate", [0, 0.0003, 0.003, 0.05, 0.5])
@pytest.mark.parametrize("seed", range(8))
def test_every_check_ends_in_a_verdict(checks, seed, rate):
    student = TampererInPyTorch(seed, rate)
    try:
        (result,) = checks.grade(student, [EXERCISE])
    finally:
        student.close()
    problems = [
        f"{each.check.id}: {each.feedback.hidden}" for each in result.checks if each.state is State.GRADER_ERROR
    ]
    assert not problems, "\n".join(problems)
    assert (result.state is State.PASSED) or rate
