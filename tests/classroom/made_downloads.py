"""A class of any size in the form of every download, made from what each student has handed in.

`DOWNLOADS` has a maker for each form: it writes the class into an empty folder and returns what to pass to
`grader run`. A form that says nothing of late or repeated work leaves that out.
"""

from __future__ import annotations

import gzip
import io
import itertools
import tarfile
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

_FIRST = ("Ana", "Ben", "Chloé", "Dmitri", "Ewa", "Farid", "Greta", "Hiro", "Inés", "Jonas")
_LAST = ("Alba", "van Dijk", "Çelik", "O'Neill", "Núñez", "Li")
_FEEDBACK_ROW = b"Identifier,Full name,Grade\n"


@dataclass(frozen=True)
class Student:
    """Somebody, and what they have handed in.

    Attributes
    ----------
    files
        Name and content, in the last attempt.
    earlier
        The same in an attempt before that; empty if there was none.
    """

    number: int
    name: str
    files: Mapping[str, bytes]
    earlier: Mapping[str, bytes] = field(default_factory=dict)
    late: bool = False

    @property
    def login(self) -> str:
        """What the student logs in with: letters and digits."""
        return "".join(filter(str.isalnum, self.name.casefold()))


def made_class(count: int, right: Mapping[str, bytes], wrong: bytes) -> list[Student]:
    """Return students who hand in the same right files in all sorts of ways.

    Parameters
    ----------
    right
        Modules by their names.
    wrong
        Of the module `recompute`, from an attempt that was given up.
    """
    ways: tuple[Mapping[str, bytes], ...] = (
        right,
        {"hw.zip": zipped({f"hw/{name}": data for name, data in right.items()})},
        {"hw.tar.gz": tarred(right)},
        {"broken.zip": zipped(right)[:200]},
        {},
        {"recompute.py": right["recompute.py"]},
    )
    names = [f"{first} {last}" for last, first in itertools.product(_LAST, _FIRST)]
    return [
        Student(
            number,
            names[number % len(names)] + (f" {number}" if number >= len(names) else ""),
            ways[number % len(ways)],
            {"recompute.py": wrong} if number % 5 == 0 and ways[number % len(ways)] else {},
            late=number % 7 == 0,
        )
        for number in range(count)
    ]


def zipped(files: Mapping[str, bytes]) -> bytes:
    """Return a ZIP archive."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def tarred(files: Mapping[str, bytes]) -> bytes:
    """Return a tarball, compressed with gzip."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name, data in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return gzip.compress(buffer.getvalue())


def _write(folder: Path, files: Mapping[str, bytes]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)


def moodle_folders(folder: Path, students: Sequence[Student]) -> Path:
    """Write a folder for each student, empty for those who have handed in nothing, and what some have typed."""
    for each in students:
        _write(folder / f"{each.name}_{123400 + each.number}_assignsubmission_file_", each.files)
        if each.number % 3 == 0 and each.files:
            text = folder / f"{each.name}_{123400 + each.number}_assignsubmission_onlinetext_"
            _write(text, {"onlinetext.html": b"<p>My work is attached.</p>"})
    return folder


def moodle_archive(folder: Path, students: Sequence[Student]) -> Path:
    """Write Moodle's own archive, as it comes: it has no entry for those who have handed in nothing."""
    files = {
        f"{each.name}_{123400 + each.number}_assignsubmission_file_/{name}": data
        for each in students
        for name, data in each.files.items()
    }
    (folder / "assignment.zip").write_bytes(zipped(files))
    return folder / "assignment.zip"


def moodle_flat(folder: Path, students: Sequence[Student]) -> Path:
    """Write Moodle's files without folders."""
    for each in students:
        start = f"{each.name}_{123400 + each.number}_assignsubmission_file_"
        _write(folder, {start + name: data for name, data in each.files.items()})
    return folder


def canvas(folder: Path, students: Sequence[Student]) -> Path:
    """Write Canvas' files: those of the last attempt, with a number at the end where the name was there before."""
    uploads = itertools.count(98000)
    for each in students:
        start = f"{each.login}_{'LATE_' if each.late else ''}{4400 + each.number}"
        for name, data in each.files.items():
            stem, suffix = name.split(".", 1)
            again = "-1" if name in each.earlier else ""
            _write(folder, {f"{start}_{next(uploads)}_{stem}{again}.{suffix}": data})
    return folder


def blackboard(folder: Path, students: Sequence[Student]) -> Path:
    """Write Blackboard's files: every attempt, with a text about each."""
    for each in students:
        for day, files in enumerate(filter(None, (each.earlier, each.files)), 1):
            start = f"Homework 3_{each.login}_attempt_2026-11-{day:02}-10-00-00"
            about = f"Name: {each.name} ({each.login})\nAssignment: Homework 3\n".encode()
            _write(folder, {f"{start}.txt": about, **{f"{start}_{name}": data for name, data in files.items()}})
    return folder


def brightspace(folder: Path, students: Sequence[Student]) -> Path:
    """Write Brightspace's folders, one for each attempt, and its index."""
    for each in students:
        for hour, files in enumerate(filter(None, (each.earlier, each.files)), 9):
            time = f"{hour}00 AM" if hour < 10 else f"{hour:02}05 AM"
            _write(folder / f"{20500 + each.number}-67890 - {each.name} - Nov 1, 2026 {time}", files)
    (folder / "index.html").write_bytes(b"<html></html>")
    return folder


def gradescope(folder: Path, students: Sequence[Student]) -> Path:
    """Write Gradescope's export, with the file that says who is who."""
    lines = []
    for each in filter(lambda each: each.files, students):
        _write(folder / f"submission_{7000 + each.number}", each.files)
        lines += [
            f"submission_{7000 + each.number}:",
            "  :submitters:",
            f'  - :name: "{each.name}"',
            f'    :sid: "s{each.number:03}"',
            f"    :email: {each.login}@example.org",
            "  :created_at: 2026-11-01 10:00:00 Z",
            "  :score: 0.0",
        ]
    (folder / "submission_metadata.yml").write_text("---\n" + "\n".join(lines) + "\n", encoding="utf-8")
    return folder


def github_classroom(folder: Path, students: Sequence[Student]) -> Path:
    """Write clones of every student's repository."""
    for each in students:
        _write(folder / f"checkpointing-{each.login}", {".git/HEAD": b"ref: refs/heads/main\n", **each.files})
    return folder


def google_classroom(folder: Path, students: Sequence[Student]) -> Path:
    """Write the files of a shared drive, each with the student's name before its own."""
    for each in students:
        _write(folder, {f"{each.name} - {name}": data for name, data in each.files.items() if ".tar" not in name})
    return folder


def shared_drive(folder: Path, students: Sequence[Student]) -> Path:
    """Write a folder for each student, and what lies about on a drive."""
    for each in students:
        _write(folder / each.name, each.files)
    _write(folder, {"README.md": b"Put your files here.", "grades.csv": _FEEDBACK_ROW, ".DS_Store": b"\0"})
    return folder


def sections(folder: Path, students: Sequence[Student]) -> Path:
    """Write two sections, with a folder for each student in them."""
    for each in students:
        _write(folder / f"section {'AB'[each.number % 2]}" / each.name, each.files)
    return folder


@dataclass(frozen=True)
class Download:
    """A form of download.

    Attributes
    ----------
    says
        How the line about it begins; empty where nothing is recognised.
    id
        What the row of a student is called.
    shows
        Whether there is something of a student in it.
    """

    make: Callable[[Path, Sequence[Student]], Path]
    says: str
    id: Callable[[Student], str]
    shows: Callable[[Student], bool] = lambda each: bool(each.files)
    attempts: bool = False
    late: bool = False


DOWNLOADS: dict[str, Download] = {
    "moodle_folders": Download(
        moodle_folders, "Moodle, one folder for each student", lambda each: f"{each.name}_{123400 + each.number}", bool
    ),
    "moodle_archive": Download(
        moodle_archive, "Moodle, one folder for each student", lambda each: f"{each.name}_{123400 + each.number}"
    ),
    "moodle_flat": Download(moodle_flat, "Moodle, without folders", lambda each: f"{each.name}_{123400 + each.number}"),
    "canvas": Download(canvas, "Canvas", lambda each: each.login, late=True),
    "blackboard": Download(blackboard, "Blackboard", lambda each: each.login, attempts=True),
    "brightspace": Download(
        brightspace, "Brightspace, one folder for each student", lambda each: each.name, attempts=True
    ),
    "gradescope": Download(gradescope, "Gradescope", lambda each: f"s{each.number:03}"),
    "github_classroom": Download(github_classroom, "GitHub Classroom", lambda each: each.login, bool),
    "google_classroom": Download(
        google_classroom,
        "Google Classroom",
        lambda each: each.name,
        lambda each: any(".tar" not in name for name in each.files),
    ),
    "shared_drive": Download(shared_drive, "", lambda each: each.name, bool),
    "sections": Download(sections, "Sections: section A, section B", lambda each: each.name, bool),
}


def rows_of(download: Download, students: Sequence[Student]) -> Iterator[tuple[str, Student]]:
    """Yield the id and the student of every row that there should be."""
    for each in students:
        if download.shows(each):
            yield download.id(each), each
