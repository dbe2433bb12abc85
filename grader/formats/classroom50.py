"""The `result.json` of Classroom 50 (`classroom50/result/v1`).

Its scores are whole numbers and those of the tests add up to the whole. After a grader error they are `null`, which
Classroom 50 refuses: the submission counts as not graded rather than as 0.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from grader.formats.student_view import override_text
from grader.formats.writing import write_atomically
from grader.messages import _
from grader.results import State, SubmissionResult

SCHEMA = "classroom50/result/v1"

# Fields that an autograder passes on from variables which Classroom 50's runner sets; the runner adds the others.
_FROM_RUNNER = {
    "classroom": "CLASSROOM",
    "assignment": "ASSIGNMENT",
    "submission": "SUBMISSION_TAG",
    "commit": "COMMIT_URL",
    "release": "RELEASE_URL",
    "review": "REVIEW_URL",
}


def to_dict(result: SubmissionResult, environment: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Return one submission as Classroom 50 reads it.

    Parameters
    ----------
    environment
        The environment of Classroom 50's runner (`os.environ` there); adds the fields that say what was graded.
    """
    known = environment or {}
    return {
        "schema": SCHEMA,
        **{field: known[name] for field, name in _FROM_RUNNER.items() if known.get(name)},
        "score": result.points,
        "max-score": result.max_points,
        "tests": list(_tests(result)),
    }


def write(result: SubmissionResult, path: Path, environment: Mapping[str, str] | None = None) -> None:
    """Write one submission for Classroom 50, all or nothing."""
    write_atomically(path, json.dumps(to_dict(result, environment), indent=1, allow_nan=False) + "\n")


def _tests(result: SubmissionResult) -> Iterator[dict[str, Any]]:
    for exercise in result.exercises:
        override = result.override(exercise.exercise.id)
        if override is not None:
            yield {
                "test-name": f"{exercise.exercise.id}: {override_text(exercise, override)}",
                "passed": override.points == exercise.exercise.points,
                "score": override.points,
                "max-score": exercise.exercise.points,
            }
            continue
        if exercise.left_out:
            continue
        for check in exercise.checks:
            yield {
                "test-name": f"{exercise.exercise.id}: {_(check.check.title)}",
                "passed": check.state is State.PASSED,
                "score": check.points,
                "max-score": check.check.points,
            }
