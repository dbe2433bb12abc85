"""The executed copy of a student's notebook, with feedback after each answer."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from html import escape
from pathlib import Path
from typing import Any

from grader.formats.writing import safe_name, write_atomically
from grader.messages import _
from grader.results import ExerciseResult, State, SubmissionResult
from grader.words import SYMBOLS, Reader, feedback_rows, printable, score, state_name

_DEFINITION = re.compile(r"^(?:async\s+)?def\s+(\w+)|^(\w+)\s*=", re.MULTILINE)


def write_executed(folder: Path, result: SubmissionResult, executed: Mapping[str, tuple[str, str]]) -> list[Path]:
    """Write the executed notebooks of a submission.

    Parameters
    ----------
    folder
        Created when there is something to write.
    executed
        For each notebook's path: the notebook as JSON, and a sentence when it was not run to its end.
    """
    written = []
    for path, (notebook, problem) in executed.items():
        name = safe_name(result.id) if len(executed) == 1 else f"{safe_name(result.id)}-{safe_name(path)}"
        folder.mkdir(parents=True, exist_ok=True)
        written.append(folder / f"{name}.ipynb")
        write_atomically(written[-1], with_feedback(notebook, result, problem))
    return written


def with_feedback(notebook: str, result: SubmissionResult, problem: str = "") -> str:
    """Return a notebook with a cell of feedback after the last cell that answers an exercise."""
    made: dict[str, Any] = json.loads(notebook) if notebook else _empty()
    defines = [_defined(cell) for cell in made["cells"]]
    after: dict[int, list[str]] = {}
    for exercise in result.exercises:
        places = [index for index, names in enumerate(defines) if names & set(exercise.exercise.functions)]
        if places:
            after.setdefault(places[-1], []).append(_feedback(exercise))
    cells = [_cell("result", _head(result, problem))]
    for index, cell in enumerate(made["cells"]):
        cells.append(cell)
        cells += [_cell(f"feedback-{index}-{count}", text) for count, text in enumerate(after.get(index, []))]
    return json.dumps({**made, "cells": cells}, ensure_ascii=False, indent=1) + "\n"


def _empty() -> dict[str, Any]:
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": []}


def _cell(cell_id: str, source: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "id": f"grader-{cell_id}", "metadata": {"editable": False}, "source": source}


def _defined(cell: Mapping[str, Any]) -> set[str]:
    """Return the functions that a cell seems to define; students' code is parsed in the worker only."""
    if cell.get("cell_type") != "code":
        return set()
    return {one or other for one, other in _DEFINITION.findall("".join(cell.get("source", "")))}


def _head(result: SubmissionResult, problem: str) -> str:
    lines = [f"<strong>{_text(result.id)}</strong> · {score(result.points, result.max_points)}"]
    lines += [_text(note) for note in (problem, result.problem) if note]
    return _box("#808080", lines)


def _feedback(result: ExerciseResult) -> str:
    exercise = result.exercise
    colour = "#2e8b57" if result.state is State.PASSED else "#d1495b"
    lines = [
        f"<strong>{SYMBOLS[result.state]} {_text(exercise.id)}</strong> {_text(_(exercise.title))} · "
        f"{_text(state_name(result.state))} · <strong>{score(result.points, exercise.points)}</strong>"
    ]
    lines += [_text(result.note)] if result.note else []
    if result.state not in (State.NOT_ATTEMPTED, State.SKIPPED):
        for check in result.checks:
            if check.state is not State.PASSED:
                rows = "".join(
                    f"<br>{_text(row.label)}: <code>{_text(row.text)}</code>"
                    for row in feedback_rows(check.feedback, Reader.STUDENT_OF_A_REPORT)
                )
                lines.append(f"{SYMBOLS[check.state]} {_text(_(check.check.title))}{rows}")
    return _box(colour, lines)


def _box(colour: str, lines: Iterable[str]) -> str:
    body = "".join(f'<div style="margin:.2em 0">{line}</div>' for line in lines)
    return f'<div style="border-left:4px solid {colour}; padding:.2em .8em">{body}</div>'


def _text(text: str) -> str:
    """Return a text that stays text in Markdown and HTML: one line, nothing with a meaning."""
    escaped = escape(printable(text)).replace("\n", "<br>").replace("$", "&#36;")
    for character in "\\`*_[]~":
        escaped = escaped.replace(character, f"&#{ord(character)};")
    return escaped
