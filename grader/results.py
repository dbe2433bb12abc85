"""What grading found: plain data from submission to exercise to check."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from lesson.course import Check, Exercise


class State(StrEnum):
    """The states of a check or an exercise, kept apart everywhere."""

    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"
    NOT_ATTEMPTED = "not attempted"
    BLOCKED = "blocked"
    TIMEOUT = "timeout"
    MEMORY = "memory"
    CRASHED = "crashed"
    GRADER_ERROR = "grader error"
    UNGRADABLE = "ungradable"
    SKIPPED = "skipped"


class Reason(StrEnum):
    """Why a check did not pass; what is shown to people is made from it, and never asked instead of it."""

    WRONG = "wrong answer"
    STUB = "stub"
    MISSING = "missing"
    NO_TEXT = "no text"
    CONFLICT = "conflict"
    UNREADABLE = "unreadable"
    LEFT_OUT = "statement left out"
    CUT_OFF = "statement cut off"
    RAISED = "raised"
    EXITED = "exited"
    MEMORY = "memory"
    TIMEOUT = "timeout"
    TIME_USED_UP = "time used up"
    CRASHED = "crashed"
    TAMPERED = "tampered"
    NEEDS_CHECK = "needs another check"
    NEEDS_EXERCISE = "needs an earlier exercise"
    PACKAGE = "package not available"
    SUBMISSION = "nothing that can be read"
    GRADER = "grader failed"


# An exercise takes the state of its gravest check, this one first.
_GRAVITY = (
    State.GRADER_ERROR,
    State.UNGRADABLE,
    State.CRASHED,
    State.MEMORY,
    State.TIMEOUT,
    State.ERROR,
    State.FAILED,
    State.BLOCKED,
    State.NOT_ATTEMPTED,
    State.PASSED,
    State.SKIPPED,
)


@dataclass(frozen=True)
class Feedback:
    """Why a check did not pass, in the order in which it is read.

    Attributes
    ----------
    called
        The function and the shapes of its inputs.
    got, expected
        What came back and what should have; without values of hidden inputs.
    cause
        The likely mistake, where the numbers give it away.
    read
        The section of the lesson to read.
    hidden
        What only the instructor may see: values and tracebacks.
    printed
        What the student's code printed meanwhile.
    """

    called: str = ""
    got: str = ""
    expected: str = ""
    cause: str = ""
    read: str = ""
    hidden: str = ""
    printed: str = ""


@dataclass(frozen=True)
class CheckResult:
    """The verdict on one check; `reason` says why it did not pass."""

    check: Check
    state: State
    feedback: Feedback | None = None
    reason: Reason | None = None

    @property
    def points(self) -> int | None:
        """The points earned; None when the grader could not tell."""
        if self.state is State.GRADER_ERROR:
            return None
        return self.check.points if self.state is State.PASSED else 0


@dataclass(frozen=True)
class ExerciseResult:
    """The verdict on one exercise; `note` says when earlier steps were answered by the reference."""

    exercise: Exercise
    checks: tuple[CheckResult, ...]
    note: str = ""

    @property
    def state(self) -> State:
        """The gravest state of any check."""
        return min((result.state for result in self.checks), key=_GRAVITY.index)

    @property
    def points(self) -> int | None:
        """The points earned; None as soon as one check is a grader error."""
        points = [result.points for result in self.checks]
        return None if None in points else sum(point for point in points if point is not None)

    @property
    def left_out(self) -> bool:
        """Return whether this is a bonus that nobody tried for, which says nothing about a submission."""
        nothing = (State.SKIPPED, State.NOT_ATTEMPTED)
        return self.exercise.bonus and all(check.state in nothing for check in self.checks)

    def as_blocked(self) -> ExerciseResult:
        """Return the same result with wrong answers put down to the earlier exercise it builds on."""
        open_states = {State.FAILED, State.ERROR}
        checks = tuple(
            replace(each, state=State.BLOCKED, reason=Reason.NEEDS_EXERCISE) if each.state in open_states else each
            for each in self.checks
        )
        return replace(self, checks=checks)


@dataclass(frozen=True)
class Override:
    """Points that an instructor has given in the place of the grader's, and why."""

    exercise_id: str
    points: int
    reason: str


@dataclass(frozen=True, kw_only=True)
class SubmissionResult:
    """The verdict on one submission.

    Attributes
    ----------
    id
        The student's id: from the roster, else the name of the file or folder.
    name
        The student's name, from the roster; empty without one.
    notes
        Sentences about files that were ignored or refused.
    problem
        Why nothing could be graded; empty when something was.
    seconds, cpu_seconds, peak_mb
        Measured from outside the student's process, in seconds and 10^6 bytes; 0 where unknown.
    """

    id: str
    path: str
    exercises: tuple[ExerciseResult, ...]
    notes: tuple[str, ...] = ()
    problem: str = ""
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    peak_mb: float = 0.0
    name: str = ""
    overrides: tuple[Override, ...] = ()

    def override(self, exercise_id: str) -> Override | None:
        """Return the instructor's override of an exercise, the last one if there are several."""
        found = [override for override in self.overrides if override.exercise_id == exercise_id]
        return found[-1] if found else None

    def points_of(self, result: ExerciseResult) -> int | None:
        """Return the points that count for an exercise: the override's, else the grader's."""
        override = self.override(result.exercise.id)
        return result.points if override is None else override.points

    @property
    def points(self) -> int | None:
        """The points that count; None as soon as one exercise is a grader error and not overridden."""
        points = [self.points_of(result) for result in self.exercises]
        return None if None in points else sum(point for point in points if point is not None)

    @property
    def max_points(self) -> int:
        """The points that could be earned, without a bonus."""
        return sum(result.exercise.points for result in self.exercises if not result.exercise.bonus)

    @property
    def state(self) -> State:
        """The gravest state of any exercise that is not left out."""
        return min((result.state for result in self.exercises if not result.left_out), key=_GRAVITY.index)


@dataclass(frozen=True)
class RunResults:
    """The results of one call of `grader run`; `submissions` may be read from disk as it is walked through."""

    seed: int
    isolation: str
    course_title: str = ""
    submissions: Sequence[SubmissionResult] = ()
