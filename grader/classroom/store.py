"""Results in an output folder: one file for each submission as it ends, and how to go on after a kill."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, overload

from grader.files import Submission
from grader.formats.results_json import SCHEMA, submission_from_dict, submission_to_dict
from grader.formats.writing import safe_name, write_atomically
from grader.results import Override, SubmissionResult
from lesson.course import Course

_ROOT = Path(__file__).parents[2]


class OtherSchema(Exception):
    """An output folder that another version of the grader has written."""


class Store:
    """The output folder of one run.

    Parameters
    ----------
    folder
        Created when it does not exist.

    Raises
    ------
    OtherSchema
        When the folder holds results of another schema, which are left as they are.
    """

    def __init__(self, folder: Path, course: Course) -> None:
        self.folder = folder
        self._course = course
        self._run_file = folder / "run.json"
        self._submissions = folder / "submissions"
        self._submissions.mkdir(parents=True, exist_ok=True)
        self.run: dict[str, Any] = {}
        if self._run_file.exists():
            self.run = _read(self._run_file)
            if self.run.get("schema") != SCHEMA:
                raise OtherSchema(
                    f"{folder} holds results of another version of the grader ({self.run.get('schema')}); "
                    "they were left as they are. Name another --output."
                )

    def begin(self, run: Mapping[str, Any]) -> None:
        """Remember what this run is graded with."""
        self.run = {"schema": SCHEMA, **run}
        write_atomically(self._run_file, json.dumps(self.run, indent=1) + "\n")

    def finished(self, submission: Submission, conditions: str) -> bool:
        """Return whether an unchanged submission has been graded under the same conditions, with a score."""
        record = self._record(submission.id)
        return (
            record.get("conditions") == conditions
            and record.get("content") == content_of(submission)
            and record.get("submission", {}).get("points") is not None
        )

    def put(self, submission: Submission, conditions: str, result: SubmissionResult) -> None:
        """Store a result; a grader error never takes the place of a score for the same files."""
        content = content_of(submission)
        if result.points is None:
            record = self._record(submission.id)
            if record.get("content") == content and record.get("submission", {}).get("points") is not None:
                return
        record = {
            "schema": SCHEMA,
            "conditions": conditions,
            "content": content,
            "submission": submission_to_dict(result),
        }
        path = self._path(submission.id)
        write_atomically(path, json.dumps(record, ensure_ascii=False, allow_nan=False) + "\n")

    def results(self, ids: Iterable[str], overrides: Mapping[str, tuple[Override, ...]]) -> StoredResults:
        """Return the stored results of these submissions, read from disk one at a time."""
        kept = [submission_id for submission_id in ids if self._path(submission_id).exists()]

        def read(submission_id: str) -> SubmissionResult:
            values = self._record(submission_id)["submission"]
            return submission_from_dict(values, self._course, overrides.get(submission_id, ()))

        return StoredResults(kept, read)

    def _path(self, submission_id: str) -> Path:
        return self._submissions / f"{safe_name(submission_id)}.json"

    def _record(self, submission_id: str) -> dict[str, Any]:
        path = self._path(submission_id)
        record = _read(path) if path.exists() else {}
        return record if record.get("schema") == SCHEMA else {}


class StoredResults(Sequence[SubmissionResult]):
    """Results on disk as a sequence, so that reports of a large class need little memory."""

    def __init__(self, ids: Sequence[str], read: Callable[[str], SubmissionResult]) -> None:
        self._ids = ids
        self._read = read

    def __len__(self) -> int:
        return len(self._ids)

    @overload
    def __getitem__(self, index: int) -> SubmissionResult: ...
    @overload
    def __getitem__(self, index: slice) -> StoredResults: ...
    def __getitem__(self, index: int | slice) -> SubmissionResult | StoredResults:
        if isinstance(index, slice):
            return StoredResults(self._ids[index], self._read)
        return self._read(self._ids[index])

    def __iter__(self) -> Iterator[SubmissionResult]:
        return map(self._read, self._ids)


def content_of(submission: Submission) -> str:
    """Return a fingerprint of what was handed in."""
    digest = hashlib.sha256()
    for name, data in sorted(submission.files.items()):
        digest.update(f"{len(name.encode('utf-8', 'surrogatepass'))} {len(data)} ".encode())
        digest.update(name.encode("utf-8", "surrogatepass") + data)
    digest.update(
        "\n".join([submission.problem, submission.fault, submission.name, *submission.notes]).encode(
            "utf-8", "surrogatepass"
        )
    )
    return digest.hexdigest()


def conditions_of(seed: int, isolation: str, packages: Collection[str]) -> str:
    """Return a fingerprint of what else a verdict depends on: checks, reference, packages, seed, isolation."""
    digest = hashlib.sha256(f"{SCHEMA} {seed} {isolation} {sorted(packages)}".encode())
    for package in ("grader", "lesson", "solutions"):
        for path in sorted((_ROOT / package).rglob("*")):
            if path.suffix in (".py", ".toml"):
                digest.update(path.read_bytes())
    return digest.hexdigest()


def _read(path: Path) -> dict[str, Any]:
    """Return the JSON object of a file; empty when it does not hold one."""
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        return {}
    return values if isinstance(values, dict) else {}
