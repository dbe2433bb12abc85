"""The upload for Gradescope's autograder, and what it does there."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any

from grader.formats import gradescope
from grader.formats.results_json import submission_from_dict
from grader.formats.student_view import open_score
from grader.isolation.sandbox import detect
from grader.messages import _
from lesson.course import load_course

_SCRIPTS = Path(__file__).with_name("templates") / "gradescope"
_ROOT = Path(__file__).resolve().parents[2]
_PACKAGES = ("grader", "lesson", "solutions", "student_template")
_FILES = ("pyproject.toml", "README.md", "LICENSE")
_OPTIONAL_FILES = ("constraints.txt",)
_ARCHIVE = "autograder.zip"
# The exit status of `grader run` when there is nothing to grade, which the results tell the student.
_INCOMPLETE = 5


class ExportError(RuntimeError):
    """An upload that cannot be built; the text says why and what to do."""


def export(folder: Path, root: Path = _ROOT) -> Path:
    """Build the upload in a folder: `setup.sh`, `run_autograder`, the project, and all of it as a ZIP archive.

    Parameters
    ----------
    folder
        New or empty.
    root
        The project's sources.

    Returns
    -------
    Path
        The archive, to be uploaded as it is.

    Raises
    ------
    ExportError
        When the folder is in use or the sources are not complete.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ExportError(
            _("{folder} exists already; name a new folder, so that nothing is overwritten.").format(folder=folder)
        )
    missing = [name for name in (*_PACKAGES, *_FILES) if not (root / name).exists()]
    if missing:
        raise ExportError(_("{names} not found; this needs a clone of the project.").format(names=", ".join(missing)))
    project = folder / "project"
    project.mkdir(parents=True)
    for name in ("setup.sh", "run_autograder"):
        shutil.copyfile(_SCRIPTS / name, folder / name)
        (folder / name).chmod(0o755)
    for name in _PACKAGES:
        shutil.copytree(root / name, project / name, ignore=shutil.ignore_patterns("__pycache__", "*.pyc", ".*"))
    for name in (*_FILES, *_OPTIONAL_FILES):
        if (root / name).exists():
            shutil.copyfile(root / name, project / name)
    return _archive(folder)


def grade(base: Path) -> int:
    """Grade `submission/` under Gradescope's base folder and write `results/results.json`.

    Returns
    -------
    int
        The exit status of `grader run`, or 0 when there was nothing that could be graded; Gradescope shows what was
        printed to the instructor only.
    """
    results = base / "results"
    results.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as directory:
        # A folder of submissions that holds one, so that its files are read together, whatever their names.
        submissions, output = Path(directory, "submissions"), Path(directory, "grades")
        shutil.copytree(base / "submission", submissions / "submission", symlinks=True, ignore=_special_files)
        # Whatever it holds, it is one student's.
        roster = Path(directory, "roster.csv")
        roster.write_text("id\nsubmission\n", encoding="utf-8")
        command = [sys.executable, "-c", "from grader.commands.main import main; main()", "run"]
        command += [str(submissions), "--output", str(output), "--roster", str(roster)]
        if detect().level == "none":
            command.append("--allow-unisolated")
        status = subprocess.run(command, check=False).returncode  # noqa: S603 - the command is our own
        gradescope.write_json(_converted(output / "results.json"), results / "results.json")
    return 0 if status == _INCOMPLETE else status


def _converted(path: Path) -> dict[str, Any]:
    """Return results in Gradescope's form; without a score where the grader has left none."""
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
        result = submission_from_dict(values["submissions"][0], load_course())
    except (OSError, ValueError, LookupError):
        return {
            "output": open_score(),
            "output_format": "text",
            "visibility": "visible",
            "stdout_visibility": "hidden",
        }
    return {**gradescope.to_dict(result), "extra_data": {"isolation": values["isolation"]}}


def _special_files(folder: str, names: list[str]) -> list[str]:
    """Return the names of pipes, sockets and devices, which cannot be copied and hold no answers."""
    kinds = {name: os.lstat(os.path.join(folder, name)).st_mode for name in names}
    return [
        name for name, mode in kinds.items() if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode) or stat.S_ISLNK(mode))
    ]


def _archive(folder: Path) -> Path:
    path = folder / _ARCHIVE
    files = sorted(file for file in folder.rglob("*") if file.is_file())
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in files:
            archive.write(file, file.relative_to(folder).as_posix())
    return path
