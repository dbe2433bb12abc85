"""A tidy folder of a class: one folder for each student with the files that count, and the roster."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from grader.classroom.submissions import plain
from grader.files import Submission

_UNWELCOME = re.compile(r'[\x00-\x1f<>:"/\\|?*]')
_MAX_NAME = 120


def write_tidy(submissions: Iterable[Submission], folder: Path) -> Iterator[Submission]:
    """Write each submission into a folder of its own, and `roster.csv`; yields them as they have been written.

    What could not be read has a line in the roster and no folder.

    Parameters
    ----------
    folder
        Empty or not there yet.
    """
    folder.mkdir(parents=True, exist_ok=True)
    taken: set[str] = {plain("roster.csv")}
    with (folder / "roster.csv").open("w", newline="", encoding="utf-8-sig", errors="replace") as file:
        table = csv.writer(file)
        table.writerow(["id", "name", "path", "late"])
        for submission in submissions:
            name = _unused(_welcome(submission.id), taken) if submission.files else ""
            for path, data in submission.files.items():
                target = folder.joinpath(name, *map(_welcome, path.split("/")))
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(data)
            table.writerow([submission.id, submission.name, name, "yes" if submission.late else ""])
            yield submission


def _welcome(name: str) -> str:
    """Return a name that every file system takes."""
    name = _UNWELCOME.sub("_", name.encode("utf-8", "replace").decode())[:_MAX_NAME].strip(" ")
    return name if name.strip(".") else f"_{name}"


def _unused(name: str, taken: set[str]) -> str:
    number = 2
    unused = name
    while plain(unused) in taken:
        unused, number = f"{name} {number}", number + 1
    taken.add(plain(unused))
    return unused
