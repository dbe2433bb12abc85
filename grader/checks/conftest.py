"""The checks as tests that anybody can run: `pytest --pyargs grader.checks --submission work/ -k nearest`.

Asks what `grader check` asks, on the same public cases, and says the same; with `--pdb` and all else that pytest has.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from pathlib import Path

import pytest

from grader.cases.recorded import RecordedCases
from grader.checks.claims import CaseGroup, CasesOf, Wrong
from grader.checks.explaining import explain
from grader.files import Submission, read_submission
from grader.results import Feedback
from grader.student.handle import Student
from grader.student.here import LocalStudent
from grader.student.outcomes import Outcome
from grader.words import Reader, feedback_rows
from lesson.course import Check, Exercise, load_course

_SOLUTIONS = Path(__file__).parents[2] / "solutions"
_CASES = RecordedCases()
_FAILED = pytest.StashKey[set[str]]()


@pytest.fixture(scope="session", name="_submission")
def submission_to_check(request: pytest.FixtureRequest) -> Submission:
    """Read the files that `--submission` names."""
    path = Path(request.config.getoption("submission") or _SOLUTIONS)
    if not path.exists():
        pytest.exit(f"There is no file or folder {path}; name one with --submission.", pytest.ExitCode.USAGE_ERROR)
    submission = read_submission(path)
    if submission.problem:
        pytest.exit(submission.problem, pytest.ExitCode.USAGE_ERROR)
    return submission


@pytest.fixture(scope="module")
def student(_submission: Submission) -> Iterator[Student]:
    """Give the checks of one exercise the student whose functions they ask."""
    handed_in = LocalStudent(_submission.files, load_course().functions)
    yield handed_in
    handed_in.close()


@pytest.fixture(scope="module")
def case(request: pytest.FixtureRequest) -> CasesOf:
    """Give the checks of one exercise its public cases."""
    groups = _CASES.of(_exercise(request.path).id)
    return lambda check_id: CaseGroup(groups[check_id], public=True)


@pytest.fixture(autouse=True)
def _counts(request: pytest.FixtureRequest) -> None:
    """Leave out a check that means nothing yet, as grading does."""
    exercise = _exercise(request.path)
    if not exercise.can_be_graded_here:
        pytest.skip(f"{exercise.id} needs the package {exercise.requires}, which is not installed")
    check = _check(exercise, request.node.name)
    needed = {f"{exercise.id}.{needed}" for needed in check.needs}
    stash = request.config.stash
    # Those that were not selected say nothing.
    if needed and needed <= stash.get(_FAILED, set()):
        pytest.skip(f"counts as soon as one of these passes: {', '.join(sorted(needed))}")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Say of a check that does not pass what `grader check` says of it."""
    report = yield
    if call.when == "call":
        if not report.passed:
            name = f"{_exercise(item.path).id}.{item.name.removeprefix('test_')}"
            item.config.stash.setdefault(_FAILED, set()).add(name)
        error = call.excinfo.value if call.excinfo else None
        if isinstance(error, Wrong):
            report.longrepr = _told(error.feedback)
        elif isinstance(error, Outcome):
            report.longrepr = _told(explain(error, public=True))
    return report


def _told(feedback: Feedback) -> str:
    return "\n".join(f"{row.label}: {row.text}" for row in feedback_rows(feedback, Reader.STUDENT_AT_WORK))


def _exercise(path: Path) -> Exercise:
    return load_course().exercise(path.stem.removeprefix("test_"))


def _check(exercise: Exercise, test: str) -> Check:
    return next(check for check in exercise.checks if check.id == test.removeprefix("test_"))
