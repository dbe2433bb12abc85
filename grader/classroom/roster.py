"""Who handed in what: submissions by path or by roster, and an instructor's overrides. Both are CSV files."""

from __future__ import annotations

import csv
import difflib
import fnmatch
import io
import itertools
import os
import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

from grader import tree
from grader.classroom.submissions import Collected, Found, collect, plain
from grader.files import Piece, Submission, identity, read_pieces
from grader.messages import _
from grader.results import Override
from lesson.course import Course

_DELIMITERS = ",;\t|"
# What the columns are called besides their own names.
_COLUMNS = {
    "id": ("student id", "student", "id number", "sis user id", "user id", "userid", "username", "login"),
    "name": ("full name", "student name", "student"),
    "path": ("file", "folder", "submission"),
    "email": ("email address", "e-mail", "mail"),
}
_MAX_NAME_PARTS = 4


class TableError(ValueError):
    """A roster or a file of overrides that cannot be used; its text names the file and the line."""


@dataclass(frozen=True)
class Entry:
    """A student and what the submission is made of; nothing, when there is none."""

    id: str
    name: str = ""
    pieces: tuple[Piece, ...] = ()
    notes: tuple[str, ...] = ()
    late: bool = False

    def read(self) -> Submission:
        """Read the submission; a missing one has a problem that says so, and a failure of ours is no student's."""
        if not self.pieces:
            return Submission(self.id, "", problem=_("No submission was found."), name=self.name)
        try:
            return read_pieces(self.pieces, self.id, self.name, self.notes, late=self.late)
        except Exception as error:  # noqa: BLE001 - one submission must not stop the others
            path = ", ".join(piece.node.path for piece in self.pieces)
            return Submission(self.id, path, name=self.name, fault=f"reading it: {type(error).__name__}: {error}")


@dataclass(frozen=True)
class Intake:
    """What `grader run` has been given.

    Attributes
    ----------
    entries
        One for each row, those of the roster first.
    unmatched
        Sentences about students of the roster without a submission, and submissions of nobody in it.
    collected
        What was recognised and what was passed over.
    nobody
        Ids of the entries that are not in the roster.
    """

    entries: tuple[Entry, ...]
    collected: Collected = field(default_factory=Collected)
    unmatched: tuple[str, ...] = ()
    nobody: frozenset[str] = frozenset()


def take_in(paths: Sequence[Path], course: Course, roster: Path | None = None, aside: Collection[Path] = ()) -> Intake:
    """Find submissions, and whose they are.

    Parameters
    ----------
    roster
        A table with the columns id, name, email and path, of which only the first must be there. A path is looked
        for in the given folders, then beside the roster and beside what was given, without regard to case; it may be
        a pattern, and a student may have several lines. Without one a student is found by id or name.
    aside
        Paths that are never submissions.

    Raises
    ------
    TableError
        When the roster is not such a table.
    """
    if roster is None:
        collected = collect(paths, course, aside=aside)
        return Intake(tuple(map(_entry, collected.found)), collected)
    students = _students(roster)
    collected = collect(paths, course, [student.id for student in students], [roster, *aside])
    folders = [path for path in paths if path.is_dir()]
    around = [path.parent for path in paths]
    return _Matching(students, collected, [*folders, roster.parent, *around]).intake()


def _entry(found: Found) -> Entry:
    return Entry(found.id, found.name, found.pieces, found.notes, found.late)


@dataclass
class _Student:
    """A line of the roster, or several of one student."""

    id: str
    name: str
    email: str
    paths: list[str]


def _students(roster: Path) -> list[_Student]:
    students: dict[str, _Student] = {}
    seen: set[str] = set()
    for line, row in _rows(roster, ("id",), ("name", "path", "email")):
        student = row["id"].strip()
        if not student:
            raise TableError(f"{roster}, line {line}: the id is missing.")
        name, path = row["name"].strip(), row["path"].strip()
        known = students.setdefault(student, _Student(student, name, row["email"].strip(), []))
        if known.name != name:
            raise TableError(f"{roster}, line {line}: the id is there twice, for {known.name!r} and for {name!r}.")
        if path in known.paths or (not path and student in seen):
            raise TableError(f"{roster}, line {line}: the id is there twice.")
        seen.add(student)
        known.paths += [path] if path else []
    return list(students.values())


class _Matching:
    """Students of a roster and submissions that were found, brought together."""

    def __init__(self, students: Sequence[_Student], collected: Collected, folders: Sequence[Path]) -> None:
        self._students = students
        self._collected = collected
        self._folders = folders
        self._left = list(collected.found)

    def intake(self) -> Intake:
        """Return the entries, and what is left over on either side."""
        pieces: dict[str, list[Piece]] = {}
        matched: dict[str, Found] = {}
        for student in self._students:
            pieces[student.id] = [piece for path in student.paths for piece in self._at(path)]
        listed = [piece for each in pieces.values() for piece in each]
        self._left = [rest for found in self._left if (rest := _without(found, listed))]
        for agree in (_ids_agree, _names_agree, _id_within):
            for student in self._students:
                if not pieces[student.id] and student.id not in matched:
                    fitting = [found for found in self._left if agree(student, found)]
                    if len(fitting) == 1:
                        matched[student.id] = fitting[0]
                        self._left.remove(fitting[0])
        entries = []
        for student in self._students:
            found = matched.get(student.id) or self._whose(pieces[student.id])
            notes, late = (found.notes, found.late) if found else ((), False)
            own = found.pieces if student.id in matched and found else tuple(pieces[student.id])
            entries.append(Entry(student.id, student.name, own, notes, late))
        missing = [student for student in self._students if not pieces[student.id] and student.id not in matched]
        taken = {entry.id for entry in entries}
        others = [_entry(replace(found, id=_free(found, taken))) for found in self._left]
        nobody = frozenset(other.id for other in others)
        return Intake((*entries, *others), self._collected, tuple(self._sentences(missing, others)), nobody)

    def _at(self, path: str) -> list[Piece]:
        """Return what a path of the roster names: on the disk, else in an archive that was given."""
        parts = [part for part in path.replace("\\", "/").split("/") if part not in ("", ".")]
        for folder in (Path(path), *self._folders) if Path(path).is_absolute() else self._folders:
            places = [folder] if folder == Path(path) and folder.exists() else list(_below(folder, parts))
            if places:
                return [self._piece(place) for place in places]
        return [
            piece
            for found in self._collected.found
            for piece in found.pieces
            if piece.node.where is None and _ends_with(piece.node.path, parts)
        ]

    def _piece(self, place: Path) -> Piece:
        """Return what was found at a place, under the name that the student gave it."""
        for found in self._collected.found:
            for piece in found.pieces:
                if piece.node.where is not None and os.path.realpath(piece.node.where) == os.path.realpath(place):
                    return piece
        node = tree.on_disk(place)
        return Piece(node.name, node)

    def _whose(self, pieces: Sequence[Piece]) -> Found | None:
        return next((each for each in self._collected.found if any(piece in each.pieces for piece in pieces)), None)

    @staticmethod
    def _sentences(missing: Sequence[_Student], others: Sequence[Entry]) -> Iterator[str]:
        """Yield who has no submission and which one is nobody's, each with the nearest on the other side."""
        people = {each.id: f"{each.id} ({each.name})" if each.name else each.id for each in missing}
        for student in missing:
            near = _nearest((student.id, student.name), {other.id: (other.id, other.name) for other in others})
            hint = f"; the nearest name is {near}" if near else ""
            yield f"In the roster, but without a submission: {people[student.id]}{hint}."
        for other in others:
            near = _nearest((other.id, other.name), {each.id: (each.id, each.name) for each in missing})
            hint = f"; the nearest without a submission is {people[near]}" if near else ""
            yield f"Not in the roster: {other.id}{hint}."


def _below(folder: Path, parts: Sequence[str]) -> Iterator[Path]:
    """Yield what a path or pattern names below a folder: exactly, else in another case, else as a pattern."""
    if not parts:
        yield folder
        return
    if os.path.lexists(folder / parts[0]):
        yield from _below(folder / parts[0], parts[1:])
        return
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return
    alike = [name for name in names if plain(name) == plain(parts[0])]
    if len(alike) != 1 and re.search(r"[*?[]", parts[0]):
        alike = [name for name in names if fnmatch.fnmatchcase(plain(name), plain(parts[0]))]
    elif len(alike) > 1:
        return
    for name in alike:
        yield from _below(folder / name, parts[1:])


def _ends_with(path: str, parts: Sequence[str]) -> bool:
    last = PurePosixPath(path).parts[-len(parts) :] if parts else ()
    return len(last) == len(parts) > 0 and all(
        fnmatch.fnmatchcase(plain(name), plain(part)) for name, part in zip(last, parts, strict=True)
    )


def _without(found: Found, listed: Iterable[Piece]) -> Found | None:
    """Return a submission without what the roster lists, and what holds that; None when nothing is left."""
    paths = {os.path.normpath(piece.node.path) for piece in listed}
    rest = tuple(
        piece
        for piece in found.pieces
        if not any(f"{path}/".startswith(f"{os.path.normpath(piece.node.path)}/") for path in paths)
    )
    return replace(found, pieces=rest) if rest else None


def _ids_agree(student: _Student, found: Found) -> bool:
    wanted = {plain(student.id), plain(student.email), plain(student.email).partition("@")[0]} - {""}
    names = {plain(found.id), found.key, *(plain(identity(piece.node.name)) for piece in found.pieces)} - {""}
    # Spreadsheets drop the zeros that an id begins with.
    numbers = {name.lstrip("0") for name in wanted if name.isdecimal()} - {""}
    return not wanted.isdisjoint(names) or any(name.isdecimal() and name.lstrip("0") in numbers for name in names)


def _names_agree(student: _Student, found: Found) -> bool:
    """Whether a submission has the student's name, in any order, or run together as some systems do."""
    parts = _name_parts(student.name)
    if not parts:
        return False
    if parts in (_name_parts(found.name), _name_parts(found.id)):
        return True
    orders = itertools.permutations(parts) if len(parts) <= _MAX_NAME_PARTS else ()
    return plain(_without_accents(found.id)) in {"".join(order) for order in orders}


def _id_within(student: _Student, found: Found) -> bool:
    """Whether a submission's name holds the id among other words."""
    words = re.split(r"[\W_]+", plain(found.id))
    return len(student.id) > 2 and plain(student.id) in words


def _name_parts(name: str) -> list[str]:
    return sorted(re.findall(r"[^\W\d_]+", _without_accents(name).casefold()))


def _without_accents(text: str) -> str:
    return "".join(each for each in unicodedata.normalize("NFKD", text) if not unicodedata.combining(each))


def _nearest(names: Iterable[str], others: Mapping[str, Iterable[str]]) -> str:
    """Return the key whose names are most like these; empty when none are."""
    best, best_ratio = "", 0.6
    for key, candidates in others.items():
        for name, candidate in itertools.product(map(plain, names), map(plain, candidates)):
            ratio = difflib.SequenceMatcher(None, name, candidate).ratio() if name and candidate else 0.0
            if ratio > best_ratio:
                best, best_ratio = key, ratio
    return best


def _free(found: Found, taken: Collection[str]) -> str:
    """Return an id that no student of the roster has."""
    return f"{found.id} ({found.pieces[0].node.name})" if found.id in taken else found.id


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


def _rows(path: Path, needed: Sequence[str], optional: Sequence[str] = ()) -> list[tuple[int, Mapping[str, str]]]:
    """Return the number and the cells of each line that is not empty; columns that are not there are empty."""
    text = _text(path)
    skipped = 0
    if re.match(r"sep=.\r?\n", text):  # which tells spreadsheets what separates cells
        text, skipped = text.partition("\n")[2], 1
    try:
        for delimiter in _DELIMITERS:
            reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
            lines = ((reader.line_num + skipped, cells) for cells in reader if any(map(str.strip, cells)))
            _line, head = next(lines, (1, []))
            columns = _columns(head, (*needed, *optional))
            if all(column in columns for column in needed):
                return [
                    (
                        line,
                        {
                            name: cells[columns[name]] if columns.get(name, len(cells)) < len(cells) else ""
                            for name in (*needed, *optional)
                        },
                    )
                    for line, cells in lines
                ]
    except csv.Error as error:
        raise TableError(f"{path} is not a CSV file: {error}.") from None
    also = f" and may name {', '.join(optional)}" if optional else ""
    several = "column" if len(needed) == 1 else "columns"
    raise TableError(f"{path}, line {skipped + 1}: the first line must name the {several} {', '.join(needed)}{also}.")


def _columns(head: Sequence[str], wanted: Sequence[str]) -> dict[str, int]:
    """Return where each column stands, by its own name or else by what it is also called."""
    names = [plain(cell) for cell in head]
    found: dict[str, int] = {}
    for column in wanted:
        for name in (column, *_COLUMNS.get(column, ())):
            if name in names and names.index(name) not in found.values():
                found[column] = names.index(name)
                break
    return found


def _text(path: Path) -> str:
    """Return the text of a table, in the encodings that spreadsheet programs write."""
    data = path.read_bytes()
    marked = data.startswith((b"\xff\xfe", b"\xfe\xff"))
    for encoding in ("utf-16",) if marked else ("utf-8-sig", "cp1252", "latin-1"):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    raise TableError(f"{path} is not a text file; save it as CSV in UTF-8.")
