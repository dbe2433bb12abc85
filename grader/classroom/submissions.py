"""Find the submissions of a class in what the instructor has: files, folders, archives, a platform's download.

Every entry ends as a submission, as a part of one, or in the list of what was passed over.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from importlib.resources import files as resources
from pathlib import Path

from grader import tree
from grader.classroom.downloads import Label, Recognised, recognise
from grader.files import (
    IGNORED_FOLDERS,
    MAX_NOTEBOOK_BYTES,
    NOTED_FILES,
    SOURCE_SUFFIXES,
    Piece,
    content,
    definitions,
    identity,
    is_copy,
    is_ignored,
    peek,
)
from grader.formats.results_json import SCHEMA
from grader.messages import _
from grader.tree import File, Folder, Node
from lesson.course import Course

# A guess at what a folder defines looks at so many files, so many folders deep.
_GUESS_FILES = 60
_GUESS_DEPTH = 4
# Folders between the class and a student: an archive, in it a folder, in it sections.
_SECTION_DEPTH = 4

_NOT_GRADED = (
    *(".csv", ".tsv", ".xlsx", ".xls", ".ods", ".log", ".lnk", ".url", ".sh", ".bat", ".toml", ".cfg", ".ini", ".lock"),
    *(".yml", ".yaml", ".xml", ".css", ".js", ".png", ".jpg", ".jpeg", ".gif", ".svg", ".heic", ".tmp", ".crdownload"),
)
_HANDOUT = re.compile(
    r"read[ _-]?me|licen[cs]e|copying|makefile|dockerfile|index|requirements|handouts?|instructions?|syllabus|"
    r"(?:student[ _-])?template|skeleton|starter(?:[ _-]?code)?|thumbs\.db",
    re.IGNORECASE,
)
_SECTION = re.compile(
    r"(?:section|group|lab|tutorial|class|course|seminar|gruppe|groupe|grupo|kurs)\b.*", re.IGNORECASE
)
# Parts of one student's work, not students.
_PART = re.compile(
    r"(?:src|sources?|code|lib|app|package|project|notebooks?|submissions?|solutions?|answers?|work|final|draft|new|"
    r"v\d.*|(?:part|step|week|day|task|exercise|ex|homework|hw|assignment|attempt|version|topic)[ _-]?\d*)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Found:
    """A submission and what it is made of.

    Attributes
    ----------
    id, name
        Of the student, as far as the download says; else the id is the name of the file or folder.
    key
        The platform's number for the student; empty without one.
    notes
        Sentences for the report.
    """

    id: str
    pieces: tuple[Piece, ...]
    name: str = ""
    key: str = ""
    notes: tuple[str, ...] = ()
    late: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether there are folders and nothing in them."""
        return all(_is_empty(piece.node) for piece in self.pieces)


@dataclass(frozen=True)
class Passed:
    """An entry that is not a submission, and why."""

    path: str
    reason: str


@dataclass
class Collected:
    """What was found, what was passed over, and what the instructor is told about each recognised download."""

    found: list[Found] = field(default_factory=list)
    passed_over: list[Passed] = field(default_factory=list)
    layouts: list[str] = field(default_factory=list)


def collect(
    paths: Iterable[Path], course: Course, ids: Collection[str] = (), aside: Collection[Path] = ()
) -> Collected:
    """Find submissions.

    A file is a submission, and so is a folder that directly holds a module of a topic (`recompute.py`, say), unless
    that lies about among the submissions of a class. Any other folder is a class. An archive is a submission, unless
    it holds a download that is recognised, or folders of several students.

    Parameters
    ----------
    ids
        Of the roster: an entry of that name is a submission, whatever it looks like.
    aside
        What never is one: the roster itself, and where results go.
    """
    collector = _Collector(course, frozenset(map(plain, ids)), frozenset(map(os.path.realpath, aside)))
    for path in paths:
        collector.path(tree.on_disk(path))
    collector.collected.found = _with_different_ids(collector.collected.found)
    collector.collected.layouts = collector.sentences()
    return collector.collected


def plain(name: str) -> str:
    """Return a name as it is compared: without regard to case, and to how accents are encoded."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold()).strip()


class _Collector:
    def __init__(self, course: Course, ids: frozenset[str], aside: frozenset[str]) -> None:
        self.collected = Collected()
        self._topics = frozenset(topic.id for topic in course.topics)
        self._ids = ids
        self._aside = aside
        self._guessed: dict[str, frozenset[str]] = {}
        # For each form of download: students, and those without a file.
        self._counts: dict[str, list[int]] = {}
        self._sections: list[str] = []

    def path(self, node: Node) -> None:
        """Take what one path given by the instructor holds."""
        inner = content(node)
        before = len(self.collected.found)
        if inner is not None and self._is_class(inner, is_folder=isinstance(node, Folder)):
            self._take(inner, 0)
        if len(self.collected.found) == before:
            self.collected.found.append(_alone(node))

    def sentences(self) -> list[str]:
        """Return what the instructor is told about the downloads."""
        sentences = [f"Sections: {', '.join(self._sections)}."] if self._sections else []
        for title, (students, empty) in self._counts.items():
            people = f"{students} student{'' if students == 1 else 's'}"
            sentences.append(f"{title[:1].upper()}{title[1:]}: {people}{f', {empty} without a file' if empty else ''}.")
        return sentences

    def _is_class(self, entries: Sequence[Node], *, is_folder: bool) -> bool:
        candidates = [entry for entry in entries if not self._reason(entry)]
        recognised = recognise(candidates)
        if recognised and recognised.layout.least == 1:
            return True
        modules = [entry for entry in candidates if self._is_module(entry)]
        if modules:
            # One module of the course, or several, among the work of other students?
            alike = self._alike([entry for entry in candidates if entry not in modules])
            return len(alike) > 1 and (len(modules) == 1 or recognised is not None or any(map(_is_container, alike)))
        if is_folder or recognised:
            return True
        return len(self._alike(list(filter(_is_container, candidates)))) > 1 or bool(self._as_sections(candidates, 0))

    def _take(self, entries: Sequence[Node], depth: int) -> None:
        """Take the entries of a class."""
        candidates = []
        for entry in entries:
            if reason := self._reason(entry):
                self._pass(entry, reason)
            else:
                candidates.append(entry)
        recognised = recognise(candidates, entries)
        sections = [] if recognised else self._as_sections(candidates, depth)
        if recognised:
            self._take_download(candidates, recognised)
        elif sections:
            if len(sections) > 1:
                self._sections += [section.name for section, _inner in sections]
            for section, inner in sections:
                before = len(self.collected.found)
                self._take(inner, depth + 1)
                if len(self.collected.found) == before:
                    self.collected.found.append(_alone(section))
            inside = [section for section, _inner in sections]
            self.collected.found += [_alone(entry) for entry in candidates if entry not in inside]
        else:
            self.collected.found += map(_alone, candidates)

    def _take_download(self, entries: Sequence[Node], recognised: Recognised) -> None:
        students: dict[tuple[str, str], list[tuple[Label, Node]]] = {}
        for entry, label in zip(entries, recognised.labels, strict=True):
            if label is None:
                self.collected.found.append(_alone(entry))
            else:
                students.setdefault((label.student, label.key), []).append((label, entry))
        found = [self._of_student(labelled) for labelled in students.values()]
        self.collected.found += found
        counts = self._counts.setdefault(recognised.layout.title, [0, 0])
        counts[0] += len(found)
        counts[1] += sum(each.is_empty for each in found)

    def _of_student(self, labelled: Sequence[tuple[Label, Node]]) -> Found:
        """Return the submission of a student: the last attempt, with the last upload of each file."""
        notes = []
        filled = [pair for pair in labelled if not _is_empty(pair[1])]
        counting = [pair for pair in filled if not pair[0].aside] or filled or labelled
        last = max(label.attempt for label, _node in counting)
        chosen: dict[str, tuple[Label, Node]] = {}
        earlier = []
        for label, node in sorted(counting, key=lambda pair: (pair[0].upload, pair[1].name)):
            name = label.file or node.name
            if label.attempt != last:
                earlier.append(node)
            else:
                earlier += [chosen[name][1]] if name in chosen else []
                chosen[name] = (label, node)
        if earlier:
            names = ", ".join(node.name for node in earlier)
            notes.append(_("The last attempt was graded; earlier ones were not: {names}.").format(names=names))
        taken = [node for _label, node in chosen.values()]
        for _label, node in labelled:
            if node not in taken:
                self._pass(node, "an earlier attempt" if node in earlier else "beside a file of the same student")
        first = labelled[0][0]
        return Found(
            first.student,
            tuple(Piece(name, node) for name, (_label, node) in sorted(chosen.items())),
            first.name,
            first.key,
            tuple(notes),
            any(label.late for label, _node in chosen.values()),
        )

    def _as_sections(self, candidates: Sequence[Node], depth: int) -> list[tuple[Node, list[Node]]]:
        """Return folders, with their content, that stand between the class and its students; empty if none do."""
        if depth >= _SECTION_DEPTH or any(
            isinstance(entry, File) and entry.name.endswith(SOURCE_SUFFIXES) for entry in candidates
        ):
            return []
        listed = [(entry, content(entry) or []) for entry in candidates]
        relevant = [(entry, [each for each in inner if not self._reason(each)]) for entry, inner in listed]
        relevant = [(entry, inner) for entry, inner in relevant if inner]
        if any(plain(identity(entry.name)) in self._ids for entry, _inner in relevant):
            return []
        # Students have different names; what is called alike in every folder is a part of their work.
        names = Counter(plain(each.name) for _entry, inner in relevant for each in inner)
        repeated = sum(count for count in names.values() if count > 1)
        if 2 * repeated > names.total() or not all(self._may_be_section(entry, inner) for entry, inner in relevant):
            return []
        if not any(self._is_section(inner, depth) for _entry, inner in relevant):
            return []
        return [(entry, inner) for entry, inner in listed if inner]

    def _may_be_section(self, entry: Node, inner: Sequence[Node]) -> bool:
        sources = [each for each in inner if isinstance(each, File) and each.name.endswith(SOURCE_SUFFIXES)]
        if not sources:
            return True
        recognised = recognise(inner)
        if recognised and recognised.layout.least == 1:
            return True
        return not any(map(self._is_module, sources)) and _SECTION.fullmatch(entry.name) is not None

    def _is_section(self, inner: Sequence[Node], depth: int) -> bool:
        recognised = recognise(inner)
        if (recognised and recognised.layout.least == 1) or len(self._alike(inner)) > 1:
            return True
        return len(inner) == 1 and bool(self._as_sections(inner, depth + 1))

    def _alike(self, nodes: Sequence[Node]) -> list[Node]:
        """Return those that seem to define a graded function which another one defines too: several answers."""
        nodes = [node for node in nodes if not is_copy(node.name) and not _PART.fullmatch(identity(node.name))]
        counts = Counter(name for node in nodes for name in self._guess(node))
        return [node for node in nodes if any(counts[name] > 1 for name in self._guess(node))]

    def _guess(self, node: Node) -> frozenset[str]:
        if node.path not in self._guessed:
            try:
                self._guessed[node.path] = frozenset(_guess(node, [_GUESS_FILES], _GUESS_DEPTH))
            except Exception:  # noqa: BLE001 - whatever it is, its own row will say so when it is read
                self._guessed[node.path] = frozenset()
        return self._guessed[node.path]

    def _is_module(self, entry: Node) -> bool:
        return isinstance(entry, File) and entry.name.endswith(SOURCE_SUFFIXES) and identity(entry.name) in self._topics

    def _reason(self, entry: Node) -> str:
        """Return why an entry is passed over; empty when it is not."""
        name = entry.name
        if entry.where is not None and os.path.realpath(entry.where) in self._aside:
            return "the roster, or where results go"
        if plain(name) in self._ids or plain(identity(name)) in self._ids:
            return ""
        if name.startswith(("._", ".")) or name in ("Thumbs.db", "desktop.ini"):
            return "hidden"
        if isinstance(entry, Folder):
            if is_ignored(entry) or name in IGNORED_FOLDERS:
                return "made by a program"
            if _holds_results(entry):
                return "results of an earlier run"
        elif name in NOTED_FILES or name.lower().endswith(_NOT_GRADED):
            return "not something that is graded"
        if _HANDOUT.fullmatch(identity(name)):
            return "a handout, by its name"
        if self._is_module(entry) and isinstance(entry, File) and _is_skeleton(entry):
            return "the skeleton as it was handed out"
        return ""

    def _pass(self, entry: Node, reason: str) -> None:
        self.collected.passed_over.append(Passed(entry.path, reason))


def _guess(node: Node, left: list[int], depth: int) -> set[str]:
    """Return graded functions that some of the files in a node seem to define."""
    if isinstance(node, File) and node.name.endswith(SOURCE_SUFFIXES):
        left[0] -= 1
        return definitions(peek(node, MAX_NOTEBOOK_BYTES)) if left[0] >= 0 else set()
    found: set[str] = set()
    if depth > 0 and not (isinstance(node, Folder) and is_ignored(node)):
        for entry in content(node) or []:
            found |= _guess(entry, left, depth - 1)
    return found


def _alone(node: Node) -> Found:
    return Found(identity(node.name), (Piece(node.name, node),))


def _is_container(entry: Node) -> bool:
    return isinstance(entry, Folder) or tree.is_archive(entry.name)


def _is_empty(node: Node) -> bool:
    return isinstance(node, Folder) and content(node) == []


def _holds_results(folder: Folder) -> bool:
    runs = [entry for entry in content(folder) or [] if isinstance(entry, File) and entry.name == "run.json"]
    return any(SCHEMA.rpartition("/")[0].encode() in peek(run, MAX_NOTEBOOK_BYTES) for run in runs)


def _is_skeleton(file: File) -> bool:
    skeleton = resources("student_template").joinpath(file.name)
    return skeleton.is_file() and peek(file, MAX_NOTEBOOK_BYTES) == skeleton.read_bytes()


def _with_different_ids(found: Sequence[Found]) -> list[Found]:
    ids = [each.id for each in found]
    longer: Sequence[Callable[[Found], str]] = (
        lambda each: f"{each.id}_{each.key}" if each.key else each.pieces[0].node.name,
        lambda each: "/".join(Path(each.pieces[0].node.path).parts[-2:]),
        lambda each: each.pieces[0].node.path,
    )
    for lengthened in longer:
        counts = Counter(map(plain, ids))
        ids = [lengthened(each) if counts[plain(name)] > 1 else name for name, each in zip(ids, found, strict=True)]
    return [replace(each, id=name) for name, each in zip(ids, found, strict=True)]
