"""Every form in which the results of a run can leave the grader: the one list of formats.

To add one, write its module in this folder and a member of `Format` here; `grader report` then offers it. Modules are
imported when they are asked for, so that the command line can name the formats without loading them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from grader.formats.writing import Written, safe_name

if TYPE_CHECKING:
    from grader.results import RunResults, SubmissionResult

    # Writes the results of a run somewhere in a folder that exists.
    Write: TypeAlias = Callable[[RunResults, Path], Written]


def _html(results: RunResults, folder: Path) -> Written:
    from grader.formats.html import write_report

    return Written(write_report(results, folder / "report"))


def _csv(results: RunResults, folder: Path) -> Written:
    from grader.formats.gradebook import write_plain

    return _one_file(write_plain, results, folder / "grades.csv")


def _canvas(results: RunResults, folder: Path) -> Written:
    from grader.formats.gradebook import write_canvas

    path = folder / "canvas.csv"
    left_out = write_canvas(results, path)
    return Written(path, tuple(f"Left out, because there is no score: {student}." for student in left_out))


def _moodle(results: RunResults, folder: Path) -> Written:
    from grader.formats.gradebook import write_moodle

    return _one_file(write_moodle, results, folder / "moodle.csv")


def _junit(results: RunResults, folder: Path) -> Written:
    from grader.formats.junit import write

    return _one_file(write, results, folder / "junit.xml")


def _gradescope(results: RunResults, folder: Path) -> Written:
    from grader.formats.gradescope import write

    return _file_for_each(write, results.submissions, folder / "gradescope")


def _classroom50(results: RunResults, folder: Path) -> Written:
    from grader.formats.classroom50 import write

    return _file_for_each(write, results.submissions, folder / "classroom50")


def _one_file(write: Callable[[RunResults, Path], None], results: RunResults, path: Path) -> Written:
    write(results, path)
    return Written(path)


def _file_for_each(
    write: Callable[[SubmissionResult, Path], None], submissions: Sequence[SubmissionResult], folder: Path
) -> Written:
    folder.mkdir(exist_ok=True)
    for result in submissions:
        write(result, folder / f"{safe_name(result.id)}.json")
    return Written(folder)


class Format(StrEnum):
    """A form of `grader report`; its value is the name that is typed."""

    _value_: str
    _write: Write

    def __new__(cls, name: str, write: Write) -> Format:
        """Make a member that can write itself."""
        member = str.__new__(cls, name)
        member._value_ = name
        member._write = write
        return member

    HTML = "html", _html
    CSV = "csv", _csv
    CANVAS = "canvas", _canvas
    MOODLE = "moodle", _moodle
    JUNIT = "junit", _junit
    GRADESCOPE = "gradescope", _gradescope
    CLASSROOM50 = "classroom50", _classroom50

    def write(self, results: RunResults, folder: Path) -> Written:
        """Write the results of a run in this form.

        Parameters
        ----------
        folder
            Created when it does not exist; what is written in it has a name of its own for each format.

        Raises
        ------
        FormatUnavailable
            When a package is missing that this format needs.
        """
        folder.mkdir(parents=True, exist_ok=True)
        return self._write(results, folder)
