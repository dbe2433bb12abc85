"""The words around a verdict: states, scores and the rows of a feedback, for every way of showing it."""

from __future__ import annotations

import unicodedata

from grader.messages import _
from grader.results import ExerciseResult, Feedback, State


def state_name(state: State) -> str:
    """Return the word for a state in the reader's language."""
    return {
        State.PASSED: _("passed"),
        State.FAILED: _("failed"),
        State.ERROR: _("error"),
        State.NOT_ATTEMPTED: _("not attempted"),
        State.BLOCKED: _("blocked"),
        State.TIMEOUT: _("timeout"),
        State.MEMORY: _("memory"),
        State.CRASHED: _("crashed"),
        State.GRADER_ERROR: _("grader error"),
        State.UNGRADABLE: _("ungradable"),
        State.SKIPPED: _("skipped"),
    }[state]


def printable(text: str) -> str:
    """Return a text without characters that steer a terminal or reorder what is read.

    A student chooses file names, messages and what is printed; none of that may move the cursor, set a title or
    turn a line around.
    """
    return "".join(
        character if character in "\n\t" or unicodedata.category(character)[0] != "C" else "\N{REPLACEMENT CHARACTER}"
        for character in text
    )


def score(points: int | None, max_points: int) -> str:
    """Return points as "3/8", or "?/8" when a grader error has left them open."""
    return f"{'?' if points is None else points}/{max_points}"


def exercise_score(result: ExerciseResult) -> str:
    """Return the points of an exercise as "3/8", of a bonus as "3/5 bonus"."""
    text = score(result.points, result.exercise.points)
    return _("{points} bonus").format(points=text) if result.exercise.bonus else text


def feedback_rows(feedback: Feedback, *, instructor: bool) -> list[tuple[str, str]]:
    """Return the labels and texts of a feedback in reading order; empty texts are left out."""
    rows = [
        (_("called"), feedback.called),
        (_("got"), feedback.got),
        (_("expected"), feedback.expected),
        (_("likely"), feedback.cause),
        (_("printed"), feedback.printed.rstrip()),
        (_("hidden"), feedback.hidden if instructor else ""),
        (_("read"), feedback.read),
    ]
    return [(label, printable(text)) for label, text in rows if text]
