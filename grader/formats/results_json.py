"""`results.json`: everything that grading found, in our own versioned schema (`results.schema.json`)."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from grader.results import CheckResult, ExerciseResult, Run, SubmissionResult

SCHEMA = "checkpointing-course/results/2"
SCHEMA_FILE = Path(__file__).with_name("results.schema.json")


def to_dict(run: Run) -> dict[str, Any]:
    """Return a run as plain data, ready for JSON."""
    return {
        "schema": SCHEMA,
        "seed": run.seed,
        "isolation": run.isolation,
        "course": run.course_title,
        "submissions": [submission_to_dict(result) for result in run.submissions],
    }


def write(run: Run, path: Path) -> None:
    """Write a run, one submission at a time."""
    head = to_dict(replace(run, submissions=()))
    del head["submissions"]

    def parts() -> Iterator[str]:
        yield json.dumps(head, indent=1)[:-2] + ',\n "submissions": ['
        for index, result in enumerate(run.submissions):
            yield (",\n" if index else "\n") + json.dumps(
                submission_to_dict(result), indent=1, ensure_ascii=False, allow_nan=False
            )
        yield "\n ]\n}\n"

    write_atomically(path, parts())


def write_atomically(path: Path, text: str | Iterable[str]) -> None:
    """Write a file under another name first and put it in place when it is complete: no reader sees half of it."""
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    temporary = Path(name)
    try:
        # Lone surrogates can stand in a student's message; no file may fail for that.
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.writelines([text] if isinstance(text, str) else text)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def submission_to_dict(result: SubmissionResult) -> dict[str, Any]:
    """Return one submission as plain data, ready for JSON."""
    return {
        "id": result.id,
        "name": result.name,
        "path": result.path,
        "state": result.state.value,
        "points": result.points,
        "max_points": result.max_points,
        "problem": result.problem,
        "notes": list(result.notes),
        "seconds": round(result.seconds, 3),
        "cpu_seconds": round(result.cpu_seconds, 3),
        "peak_mb": round(result.peak_mb, 1),
        "overrides": [
            {"exercise": override.exercise_id, "points": override.points, "reason": override.reason}
            for override in result.overrides
        ],
        "exercises": [_exercise(exercise) for exercise in result.exercises],
    }


def _exercise(result: ExerciseResult) -> dict[str, Any]:
    return {
        "id": result.exercise.id,
        "topic": result.exercise.topic,
        "title": result.exercise.title,
        "state": result.state.value,
        "points": result.points,
        "max_points": result.exercise.points,
        "note": result.note,
        "checks": [_check(check) for check in result.checks],
    }


def _check(result: CheckResult) -> dict[str, Any]:
    feedback = result.feedback
    return {
        "id": result.check.id,
        "title": result.check.title,
        "state": result.state.value,
        "reason": None if result.reason is None else result.reason.value,
        "points": result.points,
        "max_points": result.check.points,
        "feedback": None
        if feedback is None
        else {
            field: getattr(feedback, field)
            for field in ("called", "got", "expected", "cause", "read", "hidden", "printed")
        },
    }
