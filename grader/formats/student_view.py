"""The sentences of every report that can reach a student, and so nothing that only the instructor may see."""

from __future__ import annotations

from collections.abc import Iterator

from grader.messages import _
from grader.results import CheckResult, ExerciseResult, Override, State, SubmissionResult
from grader.words import Reader, feedback_rows, printable, score, state_name


def check_text(result: CheckResult) -> str:
    """Return state, points and feedback of a check, one line for each."""
    lines = [f"{state_name(result.state)}, {score(result.points, result.check.points)}"]
    if result.state is State.GRADER_ERROR:
        lines.append(open_check())
    lines += [f"{row.label}: {row.text}" for row in feedback_rows(result.feedback, Reader.STUDENT_OF_A_REPORT)]
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
        given=score(override.points, result.exercise.points),
        graded=score(result.points, result.exercise.points),
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
