"""How learning platforms name what students hand in: one `Layout` for each form of download.

To add one, put a `Layout` into `LAYOUTS` (a `Names`, where the name of an entry says it all) and a class of it into
`tests/classroom/made_downloads.py`.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol

from grader.files import SOURCE_SUFFIXES, content, identity, is_copy, peek
from grader.tree import File, Folder, Node, is_archive
from lesson.course import load_course

_MAX_METADATA_BYTES = 10**7


@dataclass(frozen=True)
class Label:
    """What a download says about one of its entries.

    Attributes
    ----------
    student
        What the row of the student is called.
    name
        Of the student, where the system gives one that is meant for people.
    key
        The system's number for the student; tells two of the same name apart.
    file
        The file's name as the student had it; empty for a folder.
    attempt
        Later attempts compare greater; empty where there is only one.
    upload
        Of several files of one name in an attempt, the last one compares greatest.
    late
        Whether the system marks it as late.
    aside
        Whether the system made it, or it was typed into the system: it counts only where there is nothing else.
    """

    student: str
    name: str = ""
    key: str = ""
    file: str = ""
    attempt: str = ""
    upload: int = 0
    late: bool = False
    aside: bool = False


class Layout(Protocol):
    """One form of download: what the instructor is told, and what it says about each of its entries."""

    @property
    def title(self) -> str:
        """The system, and the form if it has several."""
        ...

    @property
    def least(self) -> int:
        """How many entries must have such names; 1 where no student would choose one."""
        ...

    def labels(self, entries: Sequence[Node], beside: Sequence[Node] = ()) -> list[Label | None]:
        """Return a label for each entry; None for those that the system did not name.

        Parameters
        ----------
        beside
            What else lies there, such as a table of who is who.
        """
        ...


@dataclass(frozen=True)
class Recognised:
    """The layout of a download, and its label for each entry."""

    layout: Layout
    labels: list[Label | None]


def recognise(entries: Sequence[Node], beside: Sequence[Node] = ()) -> Recognised | None:
    """Return the layout that explains most of these entries, and at least half of them; None when there is none.

    Parameters
    ----------
    beside
        What else lies there and is no submission.
    """
    best: Recognised | None = None
    most = 0
    for layout in LAYOUTS:
        labels = layout.labels(entries, beside)
        count = sum(label is not None for label in labels)
        if count > most and count >= layout.least and 2 * count >= len(entries):
            best, most = Recognised(layout, labels), count
    return best


@dataclass(frozen=True)
class Names:
    """A layout in which the name of each entry says whose it is.

    Parameters
    ----------
    pattern
        Of a whole name. Its groups are named like the fields of `Label`; one that is there sets a flag.
    of
        The kind of entry that has such names.
    student
        What the row is called, from the groups.
    time
        Turns an attempt into text that sorts by time.
    """

    title: str
    pattern: re.Pattern[str]
    of: type[Folder] | type[File]
    student: str = "{student}"
    time: Callable[[str], str] = str
    least: int = 1

    def labels(self, entries: Sequence[Node], beside: Sequence[Node] = ()) -> list[Label | None]:
        """Return what the name of each entry says."""
        return [self._label(entry) for entry in entries]

    def _label(self, entry: Node) -> Label | None:
        # A folder may come as an archive of that name.
        name = identity(entry.name) if self.of is Folder and is_archive(entry.name) else entry.name
        match = self.pattern.fullmatch(name) if isinstance(entry, self.of) or name != entry.name else None
        if match is None:
            return None
        found = {group: (text or "").strip() for group, text in match.groupdict().items()}
        return Label(
            self.student.format_map(found),
            found.get("name", ""),
            found.get("key", ""),
            found.get("file", ""),
            self.time(found.get("attempt", "")),
            late=bool(found.get("late")),
            aside=bool(found.get("aside")),
        )


@dataclass(frozen=True)
class Canvas:
    """Canvas: `name_LATE_123_456_file-1.py`, where the number at the end counts uploads under the same name."""

    title: str = "Canvas"
    least: int = 1

    def labels(self, entries: Sequence[Node], beside: Sequence[Node] = ()) -> list[Label | None]:
        """Return what the name of each file says."""
        matches = [_CANVAS.fullmatch(entry.name) if isinstance(entry, File) else None for entry in entries]
        uploads = Counter(_same_upload(match) for match in matches if match and match["upload"])
        return [self._label(match, uploads) if match else None for match in matches]

    @staticmethod
    def _label(match: re.Match[str], uploads: Counter[tuple[str, ...]]) -> Label:
        # A student's own part-1.py and part-2.py are not uploads of one file.
        counted = bool(match["upload"]) and uploads[_same_upload(match)] == 1
        file = match["stem"] + match["suffix"] if counted else match["file"]
        return Label(
            match["student"],
            "",
            match["key"],
            file,
            upload=int(match["item"]),
            late=bool(match["late"]),
            aside=file == "text.html",
        )


_CANVAS = re.compile(
    r"(?P<student>[^_]+)_(?:(?P<late>LATE)_)?(?P<key>\d{2,})_(?P<item>\d{3,})_"
    r"(?P<file>(?P<stem>.+?)(?:-(?P<upload>\d{1,2}))?(?P<suffix>(?:\.\w+){0,2}))",
    re.DOTALL,
)


def _same_upload(match: re.Match[str]) -> tuple[str, ...]:
    return match["student"], match["key"], match["stem"], match["suffix"]


@dataclass(frozen=True)
class Blackboard:
    """Blackboard: `Assignment_user_attempt_2026-11-01-10-00-00_file.py`, and a text about each attempt."""

    title: str = "Blackboard"
    least: int = 1

    def labels(self, entries: Sequence[Node], beside: Sequence[Node] = ()) -> list[Label | None]:
        """Return what the name of each file says."""
        matches = [_BLACKBOARD.fullmatch(entry.name) if isinstance(entry, File) else None for entry in entries]
        # Either part of "assignment_user" may hold an underscore; the assignment is the same everywhere.
        heads = {match["head"] for match in matches if match}
        length = len(_common_beginning(sorted(heads), "_"))
        return [
            Label(
                match["head"][length:] if length else match["head"].rpartition("_")[2],
                file=match["file"] or "",
                attempt=match["attempt"],
                late=bool(match["late"]),
                aside=match["file"] is None,
            )
            if match
            else None
            for match in matches
        ]


_BLACKBOARD = re.compile(
    r"(?P<head>.+?_.+?)_(?:(?P<late>LATE)_)?attempt_(?P<attempt>\d{4}(?:-\d\d){5})(?:_(?P<file>.+)|\.txt)", re.DOTALL
)


@dataclass(frozen=True)
class Gradescope:
    """Gradescope's export: folders `submission_123`, and in a file of metadata who handed them in."""

    title: str = "Gradescope"
    least: int = 1

    def labels(self, entries: Sequence[Node], beside: Sequence[Node] = ()) -> list[Label | None]:
        """Return what the metadata says about each folder, or its name where there is none."""
        people = _submitters(beside)
        return [self._label(entry, people) for entry in entries]

    @staticmethod
    def _label(entry: Node, people: dict[str, list[dict[str, str]]]) -> Label | None:
        match = re.fullmatch(r"submission_(\d+)", identity(entry.name))
        if match is None or not (isinstance(entry, Folder) or is_archive(entry.name)):
            return None
        submitters = people.get(match[0]) or _submitters(content(entry) or []).get("", [])
        names = ", ".join(person["name"] for person in submitters if person.get("name"))
        ids = [person.get("sid") or person.get("email") or person.get("name", "") for person in submitters]
        return Label(next(filter(None, ids), match[0]), names, match[1])


def _submitters(entries: Sequence[Node]) -> dict[str, list[dict[str, str]]]:
    """Return name, number and address of those who handed in each submission, from the metadata among the entries.

    That is YAML as Ruby writes it, of which only the lines about people are read. The file of a single submission
    does not name it; its people stand under an empty name.
    """
    people: dict[str, list[dict[str, str]]] = {}
    group = people.setdefault("", [])
    listed = False
    for entry in entries:
        if not (isinstance(entry, File) and re.fullmatch(r"(submission_)?metadata\.ya?ml", entry.name)):
            continue
        for line in peek(entry, _MAX_METADATA_BYTES).decode("utf-8", "replace").splitlines():
            if re.match(r"\s*:?submitters:", line):
                listed = True
            elif top := re.fullmatch(r"['\"]?([\w.-]+)['\"]?:\s*", line):
                group, listed = people.setdefault(top[1], []), False
            elif field := re.fullmatch(r"(\s*- |\s+):?(\w+): *(.*)", line) if listed else None:
                if "-" in field[1]:
                    group.append({})
                if field[2] not in ("name", "sid", "email") or not group:
                    listed = False
                else:
                    group[-1][field[2]] = field[3].strip().strip("'\"")
    return people


@dataclass(frozen=True)
class GitHubClassroom:
    """GitHub Classroom: repositories `assignment-user`, cloned into one folder or downloaded as archives."""

    title: str = "GitHub Classroom"
    least: int = 2

    def labels(self, entries: Sequence[Node], beside: Sequence[Node] = ()) -> list[Label | None]:
        """Return the users, where the entries are repositories whose names begin alike."""
        names = {entry.name: _BRANCH.sub("", entry.name) for entry in entries if _is_repository(entry)}
        prefix = _common_beginning(list(names.values()), "-")
        return [
            Label(names[entry.name][len(prefix) :]) if prefix and entry.name in names else None for entry in entries
        ]


_BRANCH = re.compile(r"(-(main|master))?(\.zip)?$")


def _is_repository(entry: Node) -> bool:
    if isinstance(entry, File):
        return entry.name.endswith(("-main.zip", "-master.zip"))
    return any(inner.name in (".git", ".github", ".gitignore") for inner in content(entry) or [])


def _common_beginning(names: Sequence[str], separator: str) -> str:
    """Return what several names begin with, up to a separator."""
    first, last = min(names, default=""), max(names, default="")
    alike = next((index for index, pair in enumerate(zip(first, last, strict=False)) if pair[0] != pair[1]), 0)
    return first[: first.rfind(separator, 0, alike) + 1]


@dataclass(frozen=True)
class NamedModules:
    """A shared folder of files called by the student and the module, `ana_recompute.py` or `recompute-ana.py`."""

    title: str = "a shared folder, files with the students' names"
    least: int = 2

    def labels(self, entries: Sequence[Node], beside: Sequence[Node] = ()) -> list[Label | None]:
        """Return what is left of each name without the module's."""
        return [self._label(entry) for entry in entries]

    @staticmethod
    def _label(entry: Node) -> Label | None:
        if not isinstance(entry, File) or is_copy(entry.name):
            return None
        for pattern in _named_modules():
            if match := pattern.fullmatch(entry.name):
                return Label(match["student"], file=match["file"] + (match["suffix"] or ""))
        return None


@functools.cache
def _named_modules() -> tuple[re.Pattern[str], ...]:
    course = load_course()
    stems = [*(topic.id for topic in course.topics), *(Path(file).stem for file in course.texts.values())]
    suffixes = "|".join(map(re.escape, SOURCE_SUFFIXES))
    file = rf"(?P<file>{'|'.join(map(re.escape, stems))})"
    suffix = rf"(?P<suffix>{suffixes}|\.md)"
    between = r"(?: - |[ _-])"
    student = r"(?P<student>(?:[^\W\d]|\d{3}).*?)"
    return (
        re.compile(f"{student}{between}{file}{suffix}", re.DOTALL),
        re.compile(f"{file}{between}{student}{suffix}", re.DOTALL),
    )


@dataclass(frozen=True)
class NumberedCopies:
    """Files that all had one name, which a shared drive has numbered: `recompute.py`, `recompute (1).py`."""

    title: str = "numbered copies, which do not say whose they are"
    least: int = 3

    def labels(self, entries: Sequence[Node], beside: Sequence[Node] = ()) -> list[Label | None]:
        """Return a student for each copy, where there is a second one."""
        matches = [_NUMBERED.fullmatch(entry.name) if isinstance(entry, File) else None for entry in entries]
        highest: dict[str, int] = {}
        for match in filter(None, matches):
            name = match["stem"] + match["suffix"]
            highest[name] = max(highest.get(name, 0), int(match["number"] or 0))
        return [
            Label(identity(entry.name), file=entry.name)
            if match and highest[match["stem"] + match["suffix"]] > 1
            else None
            for entry, match in zip(entries, matches, strict=True)
        ]


_NUMBERED = re.compile(r"(?P<stem>.+?)(?: ?\((?P<number>\d{1,4})\))?(?P<suffix>\.py|\.ipynb|\.zip)", re.DOTALL)


def _sortable(text: str) -> str:
    """Return one of Brightspace's dates as text that sorts by time; as it is when it is in another language."""
    words = " ".join(text.replace(",", " ").replace(":", "").split())
    for day, hour in itertools.product(("%b %d %Y", "%B %d %Y", "%d %b %Y", "%d %B %Y"), ("%I%M %p", "%H%M")):
        try:
            return datetime.strptime(words, f"{day} {hour}").isoformat()
        except ValueError:
            continue
    return text


def _pattern(*parts: str) -> re.Pattern[str]:
    return re.compile("".join(parts), re.DOTALL)


_MOODLE = r"(?P<name>.+?)_(?P<key>\d+)_assignsubmission_(?:file|(?P<aside>onlinetext))_?"
_BRIGHTSPACE = (
    r"(?P<key>\d+)-\d+ ?- ?(?P<name>.+?) ?- ?"
    r"(?P<attempt>(?:[^\W\d]+\.? \d{1,2}|\d{1,2} [^\W\d]+\.?),? \d{4} \d{1,2}:?\d\d(?: ?[AP]M)?)"
)

LAYOUTS: tuple[Layout, ...] = (
    Names("Moodle, one folder for each student", _pattern(_MOODLE), Folder, "{name}_{key}"),
    Names("Moodle, without folders", _pattern(_MOODLE, r"_?(?P<file>[^_].*)"), File, "{name}_{key}"),
    Blackboard(),
    Names("Brightspace, one folder for each student", _pattern(_BRIGHTSPACE), Folder, "{name}", _sortable),
    Names("Brightspace, without folders", _pattern(_BRIGHTSPACE, " ?- ?(?P<file>.+)"), File, "{name}", _sortable),
    Canvas(),
    Gradescope(),
    GitHubClassroom(),
    NamedModules(),
    Names(
        "Google Classroom",
        _pattern(r"(?P<name>[^\W\d_].*?) - (?P<file>.+(?:\.py|\.ipynb|\.zip|\.md))"),
        File,
        "{name}",
        least=2,
    ),
    NumberedCopies(),
)
