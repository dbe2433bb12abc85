"""Gradescope's `results.json`, as its autograder specification describes it.

The specification wants a score at the top or at every test. A submission that a grader error has left without a
score gets none anywhere, so that Gradescope can only complain, and never add up the rest and call it the score.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from grader.formats.student_view import check_text, override_text, remarks
from grader.formats.writing import write_atomically
from grader.messages import _
from grader.results import CheckResult, ExerciseResult, Override, State, SubmissionResult


def to_dict(result: SubmissionResult) -> dict[str, Any]:
    """Return one submission as Gradescope reads it; its student sees all of it."""
    data: dict[str, Any] = {
        "execution_time": round(result.seconds, 3),
        "output": "\n".join(remarks(result)),
        "output_format": "text",
        "test_output_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "tests": list(_tests(result)),
    }
    if result.points is None:
        for test in data["tests"]:
            test.pop("score", None)
            test.pop("max_score", None)
    else:
        data["score"] = result.points
    return data


def write(result: SubmissionResult, path: Path) -> None:
    """Write one submission for Gradescope, all or nothing."""
    write_json(to_dict(result), path)


def write_json(data: dict[str, Any], path: Path) -> None:
    """Write Gradescope's JSON, all or nothing."""
    write_atomically(path, json.dumps(data, indent=1, allow_nan=False) + "\n")


def _tests(result: SubmissionResult) -> Iterator[dict[str, Any]]:
    for number, exercise in enumerate(result.exercises, 1):
        override = result.override(exercise.exercise.id)
        if exercise.left_out and override is None:
            continue
        for position, check in enumerate(exercise.checks, 1):
            test = _test(exercise, check, f"{number}.{position}")
            if override is not None:
                # The override's own entry has the points, so that the entries add up to the score.
                test.pop("score", None)
                test.pop("max_score", None)
            yield test
        if override is not None:
            yield _override(exercise, override, f"{number}.{len(exercise.checks) + 1}")


def _test(exercise: ExerciseResult, result: CheckResult, number: str) -> dict[str, Any]:
    test: dict[str, Any] = {
        "name": f"{exercise.exercise.id}: {_(result.check.title)}",
        "number": number,
        "output": check_text(result),
        "output_format": "text",
        "tags": [exercise.exercise.id, result.state.value],
        "visibility": "visible",
    }
    if result.state is not State.GRADER_ERROR:
        test["status"] = "passed" if result.state is State.PASSED else "failed"
        test["score"] = result.points
        test["max_score"] = result.check.points
    return test


def _override(exercise: ExerciseResult, override: Override, number: str) -> dict[str, Any]:
    return {
        "name": f"{exercise.exercise.id}: " + _("points set by the instructor"),
        "number": number,
        "score": override.points,
        "max_score": exercise.exercise.points,
        "output": override_text(exercise, override),
        "output_format": "text",
        "tags": [exercise.exercise.id],
        "visibility": "visible",
    }
