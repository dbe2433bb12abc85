"""The students' edition of the grader: what may lie beside a student's code, on their machine or in a sandbox."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

# Parts of `grader` that draw hidden inputs, need the solutions, or are for authors.
_LEFT_OUT = ("author", "cases/fresh.py", "cases/drawing.py", "cases/drawing")


def copy_edition(root: Path, target: Path) -> None:
    """Copy the packages that students get.

    Parameters
    ----------
    root
        Where `grader`, `lesson` and `student_template` lie.
    """
    for package in ("grader", "lesson", "student_template"):
        for path in _files(root / package):
            relative = path.relative_to(root)
            if not any(f"{relative.as_posix()}/".startswith(f"grader/{name}/") for name in _LEFT_OUT):
                (target / relative).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(path, target / relative)


def _files(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts and not path.name.startswith("."):
            yield path
