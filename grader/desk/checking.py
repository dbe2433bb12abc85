"""Check a student's own work in this process, on recorded public cases: what is behind `grader check`."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from grader.cases.recorded import RecordedCases
from grader.files import SOURCE_SUFFIXES, Submission, read_submission
from grader.grading import CheckSession, OnCheck, skipped
from grader.messages import _
from grader.results import ExerciseResult
from grader.student.handle import Student
from grader.student.here import LocalStudent
from grader.worker.workbench import imported_ahead
from lesson.course import Course, Exercise

# A call takes milliseconds; one that takes this long is in a loop that never ends.
CALL_SECONDS = 10.0


class CheckedStudent(Student, Protocol):
    """A student who checks their own work."""

    def import_ahead(self, exercise: Exercise) -> str:
        """Import what an exercise requires if it is answered; returns why that is impossible."""
        ...

    def close(self) -> None:
        """Forget the student's code."""
        ...


MakeStudent = Callable[[Mapping[str, bytes], Course], CheckedStudent]


class _HereStudent(LocalStudent):
    """A student's files in this process."""

    def import_ahead(self, exercise: Exercise) -> str:
        """Import what an exercise requires if it is answered; returns why that is impossible."""
        return import_ahead(exercise) if any(map(self.defines, exercise.functions)) else ""


def _in_this_process(files: Mapping[str, bytes], course: Course) -> CheckedStudent:
    return _HereStudent(files, course.functions, call_seconds=CALL_SECONDS, texts=course.texts)


class Checker:
    """One pytest session for as many checks as the student likes.

    Parameters
    ----------
    course
        What to check.
    student
        Makes a handle on the functions in some files; in this process by default.
    """

    def __init__(self, course: Course, student: MakeStudent | None = None) -> None:
        self._course = course
        self._student = student or _in_this_process
        self._cases = RecordedCases()
        self._checks = CheckSession(course, self._cases)

    def prepare(self, exercise: Exercise) -> None:
        """Read the cases of an exercise now, so that its first check need not."""
        self._cases.of(exercise.id)

    def read(self, path: Path) -> Submission:
        """Read a student's file or folder."""
        return read_submission(path)

    def check(
        self, work: Submission, exercises: Sequence[Exercise], on_check: OnCheck | None = None
    ) -> tuple[ExerciseResult, ...]:
        """Check some exercises of a student's work."""
        student = self._student(work.files, self._course)
        broken: dict[str, ExerciseResult] = {}
        try:
            for exercise in exercises:
                if exercise.requires and exercise.can_be_graded_here:
                    problem = student.import_ahead(exercise)
                    if problem:
                        broken[exercise.id] = skipped(exercise, problem)
            graded = self._checks.grade(student, [each for each in exercises if each.id not in broken], on_check)
        finally:
            student.close()
        found = {**broken, **{result.exercise.id: result for result in graded}}
        return tuple(found[exercise.id] for exercise in exercises)


def import_ahead(exercise: Exercise) -> str:
    """Import what an exercise requires, which takes seconds that no call has to answer for.

    Returns
    -------
    str
        Why that is impossible, though it is installed; empty if it is not.
    """
    if not exercise.requires or not exercise.can_be_graded_here:
        return ""
    try:
        importlib.import_module(imported_ahead(exercise.requires))
    except Exception as error:  # noqa: BLE001 - an installation can be broken in any way
        return installed_but_broken(f"{type(error).__name__}: {error}".partition("\n")[0])
    return ""


def installed_but_broken(reason: str) -> str:
    """Return what to say of a package that cannot be imported."""
    return _("which is installed here but cannot be imported ({error})").format(error=reason)


def fingerprint(path: Path) -> dict[str, tuple[int, int]]:
    """Return what changes when a source file below a path is saved, added or removed."""
    found = {}
    folders = os.walk(path) if path.is_dir() else [(str(path.parent), [], [path.name])]
    for folder, _folders, names in folders:
        for name in names:
            if name.endswith(SOURCE_SUFFIXES):
                try:
                    status = os.stat(os.path.join(folder, name))
                except OSError:
                    continue
                found[os.path.join(folder, name)] = (status.st_mtime_ns, status.st_size)
    return found
