"""Find the submissions of a class."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from grader.files import IGNORED_FOLDERS, SOURCE_SUFFIXES
from lesson.course import Course


def find_submissions(paths: Iterable[str | os.PathLike[str]], course: Course) -> Iterator[Path]:
    """Yield the path of every submission.

    A file is a submission. A folder that directly holds a module of a topic (`recompute.py`, say) is one submission;
    any other folder is a class, and each file, archive and folder in it is a submission.
    """
    for path in map(Path, paths):
        if path.is_dir() and not path.is_symlink() and not _is_one_submission(path, course):
            entries = sorted(entry for entry in path.iterdir() if _may_be_submission(entry))
            yield from entries or [path]
        else:
            yield path


def _is_one_submission(folder: Path, course: Course) -> bool:
    return any((folder / f"{topic.id}{suffix}").exists() for topic in course.topics for suffix in (".py", ".ipynb"))


def _may_be_submission(entry: Path) -> bool:
    if entry.name.startswith(".") or entry.name in IGNORED_FOLDERS:
        return False
    return entry.is_dir() or entry.suffix.lower() in (*SOURCE_SUFFIXES, ".zip")
