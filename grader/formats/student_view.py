"""What a student may see of a result; every report that can reach a student is built from this."""

from __future__ import annotations

from collections.abc import Iterator

from grader.messages import _
from grader.results import CheckResult, ExerciseResult, Override, State, SubmissionResult
from grader.words import printable, state_name

SYMBOLS = {
    State.PASSED: "✓",
    State.FAILED: "✗",
    State.ERROR: "!",
    State.NOT_ATTEMPTED: "·",
    State.BLOCKED: "-",
    State.TIMEOUT: "t",
    State.MEMORY: "m",
    State.CRASHED: "c",
    State.GRADER_ERROR: "?",
    State.UNGRADABLE: "u",
    State.SKIPPED: "/",
}


def points_of(points: int | None, max_points: int) -> str:
    """Return points as "3/8", or "?/8" when a grader error has left them open."""
    return f"{'?' if points is None else points}/{max_points}"


def feedback_rows(result: CheckResult) -> list[tuple[str, str]]:
    """Return labels and texts of a check's feedback: neither hidden inputs nor what the code printed."""
    feedback = result.feedback
    if feedback is None:
        return []
    rows = [
        (_("called"), feedback.called),
        (_("got"), feedback.got),
        (_("expected"), feedback.expected),
        (_("likely"), feedback.cause),
        (_("read"), feedback.read),
    ]
    return [(label, printable(text).strip()) for label, text in rows if text.strip()]


def check_text(result: CheckResult) -> str:
    """Return state, points and feedback of a check, one line for each."""
    lines = [f"{state_name(result.state)}, {points_of(result.points, result.check.points)}"]
    if result.state is State.GRADER_ERROR:
        lines.append(open_check())
    lines += [f"{label}: {text}" for label, text in feedback_rows(result)]
    return "\n".join(lines)


def open_check() -> str:
    """Return the sentence for a check that has no score because the grader failed."""
    return _("The grader itself failed here. There is no score yet; it does not count against you.")


def open_score() -> str:
    """Return the sentence for a submission that has no score because the grader failed."""
    return _("The grader itself failed, so there is no score yet. Your instructor will see to it.")


def override_text(result: ExerciseResult, override: Override) -> str:
    """Return the sentence that says which points an instructor has given instead, and why."""
    return _("Points set by the instructor: {given} instead of {graded}. Reason: {reason}").format(
        given=points_of(override.points, result.exercise.points),
        graded=points_of(result.points, result.exercise.points),
        reason=printable(override.reason),
    )


def remarks(result: SubmissionResult) -> Iterator[str]:
    """Yield the sentences that concern a whole submission."""
    if result.points is None:
        yield open_score()
    if result.problem:
        yield printable(result.problem)
    for note in result.notes:
        yield printable(note)
    for exercise in result.exercises:
        if exercise.note:
            yield f"{exercise.exercise.id}: {printable(exercise.note)}"
        override = result.override(exercise.exercise.id)
        if override is not None:
            yield f"{exercise.exercise.id}: {override_text(exercise, override)}"
