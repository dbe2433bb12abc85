"""CSV gradebooks: a plain table, and the columns that Canvas and Moodle import.

Texts are quoted and numbers are not. No text begins a formula in a spreadsheet. A submission without a score because
of a grader error never becomes a number or an empty cell that would wipe out an older score.
"""

from __future__ import annotations

import csv
import html
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TypeAlias

from grader.formats.student_view import open_score, override_text
from grader.formats.writing import write_atomically
from grader.messages import _
from grader.results import RunResults, State, SubmissionResult
from grader.words import printable, score, state_name

_Cell: TypeAlias = str | int | float | None

# Spreadsheet programs know UTF-8 by this mark.
_BYTE_ORDER_MARK = "\N{ZERO WIDTH NO-BREAK SPACE}"
_FORMULA = re.compile(r"[\t\r]|\s*[=+\-@＝＋－＠]")  # noqa: RUF001 - spreadsheets take the wide ones for the same
# How Moodle names the folders of "Download all submissions"; the number identifies a participant.
_MOODLE_FOLDER = re.compile(r"(?P<name>.+)_(?P<number>\d+)_assignsubmission_[a-z]+_?", re.DOTALL)
_MOODLE_PARTICIPANT = re.compile(r"Participant[ _](?P<number>\d+)")


def write_plain(run: RunResults, path: Path) -> None:
    """Write id, name, points, state, the points of each exercise, and every override."""
    _write(path, _plain(run), _BYTE_ORDER_MARK)


def write_canvas(run: RunResults, path: Path, assignment: str = "") -> tuple[str, ...]:
    """Write the columns that Canvas imports, and return the ids that were left out for want of a score.

    Canvas finds a student by SIS user id, SIS login id, or name. Its own ID stays empty, as our ids would match
    strangers there. A submission without a score gets no line, since an empty cell deletes the score in Canvas.

    Parameters
    ----------
    assignment
        Its name in Canvas, with the number that a Canvas export shows, such as "Checkpointing (1234)"; the title
        of the course by default.
    """
    left_out: list[str] = []
    # No byte order mark: Canvas would take it for a part of the first quoted name.
    _write(path, _canvas(run, assignment or run.course_title, left_out))
    return tuple(left_out)


def write_moodle(run: RunResults, path: Path) -> None:
    """Write the columns of Moodle's grading worksheet, of which its gradebook import can map the id or address too.

    The worksheet is matched by `Identifier`, known when the submissions were downloaded from Moodle as folders. Tick
    "allow updating records that have been modified more recently in Moodle" there. Moodle skips an empty grade.
    """
    _write(path, _moodle(run), _BYTE_ORDER_MARK)


def _plain(run: RunResults) -> Iterator[Sequence[_Cell]]:
    first = True
    for result in run.submissions:
        if first:
            ids = [exercise.exercise.id for exercise in result.exercises]
            yield ["id", "name", "points", "max", "percent", "state", *ids, "overrides", "problem"]
            first = False
        points = result.points
        percent = None if points is None else round(100 * points / result.max_points, 1)
        overrides = [
            f"{exercise.exercise.id}: {override_text(exercise, override)}"
            for exercise in result.exercises
            if (override := result.override(exercise.exercise.id)) is not None
        ]
        yield [
            result.id,
            result.name,
            _or_open(points),
            result.max_points,
            _or_open(percent),
            result.state.value,
            *(_or_open(result.points_of(exercise)) for exercise in result.exercises),
            "; ".join(overrides),
            result.problem,
        ]


def _canvas(run: RunResults, assignment: str, left_out: list[str]) -> Iterator[Sequence[_Cell]]:
    yield ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", assignment]
    first = True
    for result in run.submissions:
        if first:
            yield ["    Points Possible", None, None, None, None, result.max_points]
            first = False
        if result.points is None:
            left_out.append(result.id)
        else:
            yield [result.name or result.id, None, result.id, result.id, None, result.points]


def _moodle(run: RunResults) -> Iterator[Sequence[_Cell]]:
    yield [
        "Identifier",
        "Full name",
        "ID number",
        "Email address",
        "Status",
        "Grade",
        "Maximum grade",
        "Last modified (grade)",
        "Feedback comments",
    ]
    for result in run.submissions:
        # `grader run` calls a student of such a download by name and number.
        downloaded = result.name and result.id.startswith(f"{result.name}_")
        folder = _MOODLE_FOLDER.fullmatch(f"{result.id}_assignsubmission_file_" if downloaded else result.id)
        participant = folder or _MOODLE_PARTICIPANT.fullmatch(result.id)
        yield [
            f"Participant {participant['number']}" if participant else None,
            result.name or (folder["name"] if folder and folder["name"] != "Participant" else None),
            None if participant else result.id,
            result.id if "@" in result.id else None,
            state_name(result.state),
            result.points,
            result.max_points,
            None,
            _comments(result),
        ]


def _comments(result: SubmissionResult) -> str:
    """Return feedback for Moodle, which takes it for HTML."""
    lines = [] if result.points is not None else [open_score()]
    lines += [result.problem] if result.problem else []
    for exercise in result.exercises:
        points = score(result.points_of(exercise), exercise.exercise.points)
        lines.append(f"{exercise.exercise.id}: {points}, {state_name(exercise.state)}")
        override = result.override(exercise.exercise.id)
        lines += [exercise.note] if exercise.note else []
        lines += [override_text(exercise, override)] if override is not None else []
        if not result.problem and exercise.state not in (State.NOT_ATTEMPTED, State.SKIPPED):
            lines += [
                f"{_(check.check.title)}: {state_name(check.state)}"
                for check in exercise.checks
                if check.state is not State.PASSED
            ]
    return "<br>".join(html.escape(printable(line)) for line in lines)


def _or_open(number: float | None) -> _Cell:
    return State.GRADER_ERROR.value if number is None else number


def _write(path: Path, rows: Iterable[Sequence[_Cell]], beginning: str = "") -> None:
    write_atomically(path, _lines(rows, beginning))


def _lines(rows: Iterable[Sequence[_Cell]], beginning: str) -> Iterator[str]:
    buffer = io.StringIO()
    writer = csv.writer(buffer, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n")
    yield beginning
    for row in rows:
        writer.writerow([_cell(cell) for cell in row])
        yield buffer.getvalue()
        buffer.seek(0)
        buffer.truncate()


def _cell(value: _Cell) -> _Cell:
    """Return a text on one line that no spreadsheet takes for a formula; numbers as they are."""
    if not isinstance(value, str):
        return value
    text = printable(value).replace("\n", " ")
    return f"'{text}" if _FORMULA.match(text) else text
