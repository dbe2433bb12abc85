"""Check a student's own work in this process, on recorded public cases: what is behind `grader check`."""

from __future__ import annotations

import importlib
import os
from collections.abc import Sequence
from pathlib import Path

from grader.cases.recorded import RecordedCases
from grader.grading import CheckSession, OnCheck
from grader.report import ExerciseResult
from grader.student import LocalStudent
from grader.submissions import SOURCE_SUFFIXES, Submission, read_submission
from lesson.course import Course, Exercise

# A call takes milliseconds; whoever needs this long has a loop that never ends.
CALL_SECONDS = 10.0


class Checker:
    """One pytest session for as many checks as the student likes."""

    def __init__(self, course: Course) -> None:
        self._course = course
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
        student = LocalStudent(work.files, self._course.functions, call_seconds=CALL_SECONDS)
        try:
            for exercise in exercises:
                if exercise.requires and exercise.can_be_graded_here and any(map(student.defines, exercise.functions)):
                    # That takes seconds which no call has to answer for.
                    importlib.import_module(exercise.requires)
            return self._checks.grade(student, exercises, on_check)
        finally:
            student.close()


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
