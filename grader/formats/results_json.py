"""`results.json`: everything that grading found, in our own versioned schema (`results.schema.json`)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from grader.formats.writing import write_atomically
from grader.results import CheckResult, ExerciseResult, Feedback, Override, Reason, RunResults, State, SubmissionResult
from lesson.course import Course

SCHEMA = "checkpointing-course/results/2"
SCHEMA_FILE = Path(__file__).with_name("results.schema.json")


def to_dict(run: RunResults) -> dict[str, Any]:
    """Return a run as plain data, ready for JSON."""
    return {
        "schema": SCHEMA,
        "seed": run.seed,
        "isolation": run.isolation,
        "course": run.course_title,
        "submissions": [submission_to_dict(result) for result in run.submissions],
    }


def write(run: RunResults, path: Path) -> None:
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
        "exercises": [_exercise_to_dict(exercise) for exercise in result.exercises],
    }


def _exercise_to_dict(result: ExerciseResult) -> dict[str, Any]:
    return {
        "id": result.exercise.id,
        "topic": result.exercise.topic,
        "title": result.exercise.title,
        "state": result.state.value,
        "points": result.points,
        "max_points": result.exercise.points,
        "note": result.note,
        "checks": [_check_to_dict(check) for check in result.checks],
    }


def _check_to_dict(result: CheckResult) -> dict[str, Any]:
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


def submission_from_dict(
    values: Mapping[str, Any], course: Course, overrides: tuple[Override, ...] = ()
) -> SubmissionResult:
    """Return the result that `submission_to_dict` has turned into plain data.

    Parameters
    ----------
    overrides
        Those that count now; the ones in the data are left out.
    """
    exercises = tuple(_exercise_from_dict(course, exercise) for exercise in values["exercises"])
    return SubmissionResult(
        id=values["id"],
        path=values["path"],
        exercises=exercises,
        notes=tuple(values["notes"]),
        problem=values["problem"],
        seconds=values["seconds"],
        cpu_seconds=values["cpu_seconds"],
        peak_mb=values["peak_mb"],
        name=values["name"],
        overrides=overrides,
    )


def _exercise_from_dict(course: Course, values: Mapping[str, Any]) -> ExerciseResult:
    exercise = course.exercise(values["id"])
    checks = {check.id: check for check in exercise.checks}
    results = tuple(
        CheckResult(
            checks[value["id"]],
            State(value["state"]),
            None if value["feedback"] is None else Feedback(**value["feedback"]),
            None if value["reason"] is None else Reason(value["reason"]),
        )
        for value in values["checks"]
    )
    return ExerciseResult(exercise, results, values["note"])
