"""Who handed in what: submissions by path or by roster, and an instructor's overrides. Both are CSV files."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.classroom.submissions import find_submissions
from grader.files import Submission, identity, read_submission
from grader.messages import _
from grader.results import Override
from lesson.course import Course


class TableError(ValueError):
    """A roster or a file of overrides that cannot be used; its text names the file and the line."""


@dataclass(frozen=True)
class Entry:
    """A student and where the submission is expected; `path` is None when there is none."""

    id: str
    name: str
    path: Path | None

    def read(self) -> Submission:
        """Read the submission; a missing one has a problem that says so."""
        if self.path is None:
            return Submission(self.id, "", problem=_("No submission was found."), name=self.name)
        return read_submission(self.path, self.id, self.name)


def entries_of(paths: Iterable[Path], course: Course) -> list[Entry]:
    """Return an entry for each submission found, with ids that differ."""
    found = list(find_submissions(paths, course))
    names: Sequence[str] = [identity(path) for path in found]
    longer_names: Sequence[Callable[[Path], str]] = (lambda path: path.name, lambda path: path.as_posix())
    for longer in longer_names:
        counts = Counter(name.casefold() for name in names)
        names = [longer(path) if counts[name.casefold()] > 1 else name for name, path in zip(names, found, strict=True)]
    return [Entry(name, "", path) for name, path in zip(names, found, strict=True)]


def entries_of_roster(roster: Path, paths: Sequence[Path], course: Course) -> list[Entry]:
    """Return an entry for each line of a roster (id, name, path), and for each submission it does not name.

    A path of the roster is looked for in the given folders, then beside the roster.

    Raises
    ------
    TableError
        When the roster is not such a table.
    """
    rows = _rows(roster, ("id", "name", "path"))
    entries = []
    listed = set()
    seen: set[str] = set()
    for line, row in rows:
        student = row["id"].strip()
        if not student or student in seen:
            raise TableError(f"{roster}, line {line}: the id is {'there twice' if student else 'missing'}.")
        seen.add(student)
        folders = [*(path for path in paths if path.is_dir()), roster.parent]
        path = next(
            (folder / row["path"] for folder in folders if row["path"] and (folder / row["path"]).exists()), None
        )
        if path is not None:
            listed.add(path.resolve())
        entries.append(Entry(student, row["name"].strip(), path))
    others = [entry for entry in entries_of(paths, course) if entry.path and entry.path.resolve() not in listed]
    return entries + [entry for entry in others if entry.id not in seen and entry.path != roster]


def read_overrides(path: Path, course: Course) -> dict[str, tuple[Override, ...]]:
    """Read points that the instructor gives (student, exercise, points, reason); empty when there is no file.

    Raises
    ------
    TableError
        When the table names an unknown exercise, impossible points or no reason.
    """
    if not path.exists():
        return {}
    overrides: dict[str, tuple[Override, ...]] = {}
    known = {exercise.id: exercise for exercise in course.exercises}
    for line, row in _rows(path, ("student", "exercise", "points", "reason")):
        exercise = known.get(row["exercise"].strip())
        if exercise is None:
            raise TableError(f"{path}, line {line}: there is no exercise {row['exercise']!r}.")
        points = row["points"].strip()
        if not points.isdecimal() or int(points) > exercise.points:
            raise TableError(f"{path}, line {line}: points must be a whole number up to {exercise.points}.")
        if not row["reason"].strip():
            raise TableError(f"{path}, line {line}: give a reason; the student will see it.")
        student = row["student"].strip()
        override = Override(exercise.id, int(points), row["reason"].strip())
        overrides[student] = (*overrides.get(student, ()), override)
    return overrides


def _rows(path: Path, columns: Sequence[str]) -> list[tuple[int, Mapping[str, str]]]:
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            reader = csv.DictReader(file)
            names = [name.strip().lower() for name in reader.fieldnames or []]
            missing = [column for column in columns if column not in names]
            if missing:
                raise TableError(f"{path}: the first line must name the columns {', '.join(columns)}.")
            reader.fieldnames = names
            return [(reader.line_num, {column: row.get(column) or "" for column in columns}) for row in reader]
    except (UnicodeDecodeError, csv.Error) as error:
        raise TableError(f"{path} is not a CSV file in UTF-8: {error}.") from None
