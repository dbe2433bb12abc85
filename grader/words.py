"""Every word, symbol and label around a verdict, once, for every way of showing it."""

from __future__ import annotations

import unicodedata
from enum import Enum
from typing import NamedTuple

from grader.messages import _
from grader.results import ExerciseResult, Feedback, State

# One character each, so that a class fits into a table; README explains them.
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


class Reader(Enum):
    """Who reads a feedback; the value is what that reader may see of it: fields of `Feedback` in reading order.

    A report can reach a student after grading on hidden inputs. What the code printed is left out there, since it
    could print what it was given; a student at work, whose inputs are public, sees it. Values of hidden inputs and
    tracebacks of the grader are for the instructor alone.
    """

    STUDENT_OF_A_REPORT = ("called", "got", "expected", "cause", "read")
    STUDENT_AT_WORK = ("called", "got", "expected", "cause", "printed", "read")
    INSTRUCTOR = ("called", "got", "expected", "cause", "printed", "hidden", "read")


class FeedbackRow(NamedTuple):
    """A field of a feedback as it is shown."""

    field: str
    label: str
    text: str


def feedback_rows(feedback: Feedback | None, reader: Reader) -> list[FeedbackRow]:
    """Return what a reader may see of a feedback, if there is any; empty texts are left out."""
    if feedback is None:
        return []
    labels = {
        "called": _("called"),
        "got": _("got"),
        "expected": _("expected"),
        "cause": _("likely"),
        "printed": _("printed"),
        "hidden": _("hidden"),
        "read": _("read"),
    }
    rows = []
    for field in reader.value:
        text = printable(getattr(feedback, field))
        # What was printed keeps the indentation of its first line.
        shown = text.rstrip() if field == "printed" else text.strip()
        if shown:
            rows.append(FeedbackRow(field, labels[field], shown))
    return rows
