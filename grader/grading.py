"""Grade one submission: ask the checks of each exercise and collect what they find.

The checks are pytest tests. pytest collects them, once for each process; grading then calls them as often as there are
submissions, with the student and the cases that it wants them to ask.
"""

from __future__ import annotations

import functools
import os
import traceback
import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias
from unittest import mock

import pytest

from grader.cases.case import Cases
from grader.checks.claims import CaseGroup, CasesOf, Wrong
from grader.checks.explaining import explain
from grader.messages import _
from grader.results import CheckResult, ExerciseResult, Feedback, Reason, State
from grader.student.handle import Student
from grader.student.left_out import LeftOut, sentences
from grader.student.outcomes import Outcome
from lesson.course import Check, Course, Exercise

CHECKS_FOLDER = Path(__file__).parent / "checks"

OnCheck: TypeAlias = Callable[[Exercise, CheckResult], None]
CheckFunction: TypeAlias = Callable[[Student, CasesOf], None]

_PREFIX = "test_"
_UNWANTED_PLUGINS = (
    "cacheprovider debugging doctest faulthandler junitxml logging pastebin stepwise terminal threadexception "
    "unraisableexception warnings"
)
# No configuration, conftest.py or plugin of the folder or machine we happen to run in takes part.
_PYTEST_ARGUMENTS = (
    "--collect-only",
    "-c",
    os.devnull,
    f"--rootdir={CHECKS_FOLDER}",
    "--noconftest",
    "--import-mode=importlib",
    "--assert=plain",
    "--capture=no",
    *(f"-pno:{plugin}" for plugin in _UNWANTED_PLUGINS.split()),
)
_PYTEST_ENVIRONMENT = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_PLUGINS": "", "PYTEST_ADDOPTS": ""}


class _Collector:
    """The pytest plugin that keeps the tests which pytest has collected."""

    def __init__(self) -> None:
        self.functions: dict[str, dict[str, CheckFunction]] = {}
        self.problem = ""

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Keep why a module could not be collected."""
        if report.failed:
            self.problem = self.problem or report.longreprtext

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Keep the tests, by the exercise that their module is named after."""
        for item in session.items:
            if isinstance(item, pytest.Function):
                exercise_id = item.path.stem.removeprefix(_PREFIX)
                self.functions.setdefault(exercise_id, {})[item.name.removeprefix(_PREFIX)] = item.function


@functools.cache
def collect_checks() -> Mapping[str, Mapping[str, CheckFunction]]:
    """Return the function of each check, by the id of its exercise and its own.

    Raises
    ------
    RuntimeError
        When pytest cannot collect them.
    """
    collector = _Collector()
    with mock.patch.dict(os.environ, _PYTEST_ENVIRONMENT):
        code = pytest.main([*_PYTEST_ARGUMENTS, str(CHECKS_FOLDER)], plugins=[collector])
    if code != pytest.ExitCode.OK:
        raise RuntimeError(f"pytest could not collect the checks: {collector.problem or f'it ended with {code!r}'}")
    return collector.functions


class CheckSession:
    """What grading any number of submissions has in common.

    Parameters
    ----------
    course, cases
        What to grade, and on which inputs.
    packages
        Those that exercises may require; by default the ones that are installed here.
    """

    def __init__(self, course: Course, cases: Cases, packages: Collection[str] | None = None) -> None:
        self._course = course
        self._cases = cases
        self._packages = packages
        self._functions = collect_checks()

    def grade(
        self, student: Student, exercises: Sequence[Exercise] | None = None, on_check: OnCheck | None = None
    ) -> tuple[ExerciseResult, ...]:
        """Grade the exercises of a student.

        Parameters
        ----------
        exercises
            In course order; all of them by default.
        on_check
            Called with every check as it ends.
        """
        results: dict[str, ExerciseResult] = {}
        chosen = self._course.exercises if exercises is None else exercises
        told: set[LeftOut] = set()
        for exercise in chosen:
            result = self._grade_exercise(student, exercise, results, on_check)
            # Once, with the first exercise that it is beside.
            left_out = [each for each in student.left_out(exercise.functions) if each not in told]
            told.update(left_out)
            note = " ".join(filter(None, [result.note, *sentences(left_out)]))
            results[exercise.id] = replace(result, note=note)
        return tuple(results[exercise.id] for exercise in chosen)

    def _grade_exercise(
        self,
        student: Student,
        exercise: Exercise,
        results: dict[str, ExerciseResult],
        on_check: OnCheck | None,
    ) -> ExerciseResult:
        if exercise.requires:
            wanted = exercise.can_be_graded_here if self._packages is None else exercise.requires in self._packages
            if not wanted:
                return skipped(exercise)
            if not exercise.can_be_graded_here:
                return _impossible(exercise)
        result = self._run(student, exercise, on_check)
        if result.state in (State.PASSED, State.NOT_ATTEMPTED, State.UNGRADABLE, State.GRADER_ERROR):
            return result
        missing = []
        for earlier in map(self._course.exercise, exercise.builds_on):
            if earlier.id not in results:
                results[earlier.id] = self._grade_exercise(student, earlier, results, None)
            if results[earlier.id].state is not State.PASSED:
                missing.append(earlier)
        if not missing:
            return result
        return self._consequential(student, result, missing)

    def _consequential(self, student: Student, result: ExerciseResult, missing: Sequence[Exercise]) -> ExerciseResult:
        """Grade an exercise again with the earlier functions right, where there is a reference to answer them."""
        titles = ", ".join(exercise.id for exercise in missing)
        answered = student.answered_by_reference([name for exercise in missing for name in exercise.functions])
        if answered is None:
            return replace(result.as_blocked(), note=_("Get {exercises} right first.").format(exercises=titles))
        with answered:
            again = self._run(student, result.exercise, None, measure=False)
        # What was measured had right answers to measure, so the earlier functions are no excuse for what came of it.
        able = {each.check.id for each in result.checks if each.state is State.PASSED}
        checks = tuple(
            first
            if first.state is State.PASSED or (first.check.measured and not able.isdisjoint(first.check.needs))
            # The second run measures nothing: it counts as passed wherever the first one could not measure.
            else second
            if second.state is State.PASSED
            else first
            for first, second in zip(result.checks, again.checks, strict=True)
        )
        if checks == result.checks:
            return result
        note = _("Graded with the functions of {exercises} answered by the reference.").format(exercises=titles)
        return replace(result, checks=checks, note=note)

    def _run(
        self, student: Student, exercise: Exercise, on_check: OnCheck | None, *, measure: bool = True
    ) -> ExerciseResult:
        # Answers are shared by the checks of one exercise; keeping more would only cost memory.
        student.forget()
        functions = self._functions.get(exercise.id, {})
        run = _ExerciseRun(student, exercise, self._cases, measure)
        for check in exercise.checks:
            result = run.result(functions.get(check.id), check)
            if on_check is not None:
                on_check(exercise, result)
        return ExerciseResult(exercise, tuple(run.results))


def failure(hidden: str) -> Feedback:
    """Return the feedback where the grader itself has failed, and why for the instructor."""
    return Feedback(got=_("The grader itself failed; this does not count against you."), hidden=hidden)


def skipped(exercise: Exercise, reason: str = "") -> ExerciseResult:
    """Return the result of an exercise whose package is not there; the reason by default: it is not installed."""
    reason = reason or _("which is not installed here")
    note = _("Skipped, as it needs the package {package}, {reason}. It is optional.")
    checks = tuple(CheckResult(check, State.SKIPPED, reason=Reason.PACKAGE) for check in exercise.checks)
    return ExerciseResult(exercise, checks, note.format(package=exercise.requires, reason=reason))


def _impossible(exercise: Exercise) -> ExerciseResult:
    """Return the result where a package is missing that the rest of the run has."""
    reason = _("The package {package} is missing here, but not where the run was started.")
    feedback = failure(reason.format(package=exercise.requires))
    checks = tuple(CheckResult(check, State.GRADER_ERROR, feedback, Reason.GRADER) for check in exercise.checks)
    return ExerciseResult(exercise, checks)


class _ExerciseRun:
    """One exercise of one student while it is graded."""

    def __init__(self, student: Student, exercise: Exercise, cases: Cases, measure: bool) -> None:
        self.results: list[CheckResult] = []
        self._student = student
        self._exercise = exercise
        self._cases = cases
        self._measure = measure

    def result(self, function: CheckFunction | None, check: Check) -> CheckResult:
        """Return the verdict on the next check, and keep it for those that need it."""
        result = self._verdict(function, check)
        self.results.append(result)
        return result

    def _verdict(self, function: CheckFunction | None, check: Check) -> CheckResult:
        passed = {result.check.id for result in self.results if result.state is State.PASSED}
        if check.needs and passed.isdisjoint(check.needs):
            return CheckResult(check, self._state_of_needed(check), self._needs_feedback(check), Reason.NEEDS_CHECK)
        if check.measured and not self._measure:
            return CheckResult(check, State.PASSED)
        self._student.printed.clear()
        try:
            if function is None:
                raise LookupError(f"test_{self._exercise.id}.py has no test_{check.id}")
            try:
                with warnings.catch_warnings():
                    # What a student returns may overflow in a comparison; that is for nobody's screen.
                    warnings.simplefilter("ignore")
                    function(self._student, self._case)
            except Wrong as error:
                return self._told(CheckResult(check, State.FAILED, error.feedback, Reason.WRONG))
            except Outcome as outcome:
                feedback = explain(outcome, public=self._cases.public)
                return self._told(CheckResult(check, outcome.state, feedback, outcome.reason))
        except Exception:  # noqa: BLE001 - a fault of the grader must not end the class
            return CheckResult(check, State.GRADER_ERROR, failure(traceback.format_exc()), Reason.GRADER)
        return CheckResult(check, State.PASSED)

    def _case(self, check_id: str) -> CaseGroup:
        cases = self._cases.of(self._exercise.id)[check_id]
        return CaseGroup(cases, self._cases.public, self._cases.reference)

    def _state_of_needed(self, check: Check) -> State:
        """Return "blocked", or "not attempted" when that is why the checks it needs did not pass."""
        states = {result.state for result in self.results if result.check.id in check.needs}
        return State.NOT_ATTEMPTED if states == {State.NOT_ATTEMPTED} else State.BLOCKED

    def _needs_feedback(self, check: Check) -> Feedback:
        needed = [known for known in self._exercise.checks if known.id in check.needs]
        titles = "; ".join(_("“{title}”").format(title=_(known.title)) for known in needed)
        if len(needed) == 1:
            return Feedback(got=_("This counts as soon as {check} passes.").format(check=titles))
        return Feedback(got=_("This counts as soon as one of these passes: {checks}.").format(checks=titles))

    def _told(self, result: CheckResult) -> CheckResult:
        """Add to the feedback where to read on and what the student's code printed."""
        feedback = result.feedback or Feedback()
        return replace(
            result,
            feedback=replace(
                feedback,
                read=f"{self._exercise.topic}.md#{self._exercise.id}",
                printed="".join(self._student.printed),
            ),
        )
