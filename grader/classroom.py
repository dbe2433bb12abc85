"""Grade many submissions, one after the other, with one pytest session and one zygote."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from grader.cases.fresh import FreshCases, reference_functions
from grader.grading import CheckSession
from grader.isolation.remote import RemoteStudent
from grader.isolation.sandbox import detect
from grader.isolation.zygote import Zygote
from grader.report import CheckResult, ExerciseResult, Feedback, Run, State, SubmissionResult
from grader.submissions import Submission, read_submission
from lesson.course import Course


class Classroom:
    """Everything that grading submissions shares: the cases, the pytest session, the zygote.

    Parameters
    ----------
    seed
        Of the hidden inputs; the same seed gives the same inputs.
    """

    def __init__(self, course: Course, seed: int, zygote: Zygote) -> None:
        self._course = course
        self._zygote = zygote
        self._reference = reference_functions(course)
        self._checks = CheckSession(course, FreshCases(course, seed))

    def close(self) -> None:
        """End the pytest session and the zygote."""
        self._checks.close()
        self._zygote.close()

    def grade(self, path: Path) -> SubmissionResult:
        """Grade one submission; whatever it is, there is a verdict."""
        started = time.perf_counter()
        submission = read_submission(path)
        if submission.problem:
            return self._ungradable(submission, time.perf_counter() - started)
        student = RemoteStudent(self._zygote, submission.files, self._course.functions, self._reference)
        try:
            exercises = self._checks.grade(student)
        finally:
            student.close()
        return SubmissionResult(
            submission.id, submission.path, exercises, submission.notes, "",
            time.perf_counter() - started, student.cpu_seconds, student.peak_mb,
        )  # fmt: skip

    def _ungradable(self, submission: Submission, seconds: float) -> SubmissionResult:
        feedback = Feedback(got=submission.problem)
        exercises = tuple(
            ExerciseResult(exercise, tuple(CheckResult(check, State.UNGRADABLE, feedback) for check in exercise.checks))
            for exercise in self._course.exercises
        )
        return SubmissionResult(
            submission.id, submission.path, exercises, submission.notes, submission.problem, seconds
        )


def grade_all(paths: Sequence[Path], course: Course, seed: int, on_start: Callable[[int, str], None]) -> Run:
    """Grade submissions one after the other.

    Parameters
    ----------
    on_start
        Called with the number (from 1) and the name of each submission as it begins.
    """
    isolation = detect()
    classroom = Classroom(course, seed, Zygote(isolation))
    results = []
    try:
        for number, path in enumerate(paths, 1):
            on_start(number, path.name)
            results.append(classroom.grade(path))
    finally:
        classroom.close()
    return Run(seed, isolation.level, course.title, tuple(results))
