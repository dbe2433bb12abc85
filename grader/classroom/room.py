"""Grade many submissions: here, in several processes, or on a Dask cluster, with the same results everywhere.

Each process collects the checks once and keeps one zygote. Submissions are read in the main process and handed over as
bytes, a few at a time, so that memory does not grow with the class.
"""

from __future__ import annotations

import contextlib
import functools
import multiprocessing
import signal
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field, replace

from grader.cases.fresh import FreshCases, reference_functions
from grader.files import Submission
from grader.grading import CheckSession, failure
from grader.isolation.sandbox import Isolation
from grader.isolation.zygote import ZygoteError, Zygotes
from grader.results import CheckResult, ExerciseResult, Feedback, Reason, State, SubmissionResult
from grader.student.sealed import CALL_SECONDS, SealedStudents
from lesson.course import Course, load_course

# A process or cluster node that dies while it grades a submission gets this many chances with it.
MAX_ATTEMPTS = 2


@dataclass(frozen=True)
class Settings:
    """What a run is graded with; the same everywhere.

    Attributes
    ----------
    seed
        The seed of the hidden inputs.
    isolation
        What stands between student code and the machine.
    call_seconds
        Deadline of each call of a student's function.
    packages
        Those that exercises may require; by default the ones that are installed here.
    """

    seed: int
    isolation: Isolation
    call_seconds: float = CALL_SECONDS
    packages: frozenset[str] = field(default_factory=lambda: load_course().packages)


class Classroom:
    """Everything that grading submissions in one process shares."""

    def __init__(self, course: Course, settings: Settings) -> None:
        self._course = course
        self._settings = settings
        self._checks = CheckSession(course, FreshCases(course, settings.seed), settings.packages)
        self._zygotes = Zygotes(settings.isolation, course.importable)
        # Started before anything is graded: a machine on which that fails can grade nobody.
        self._zygotes.having()
        self._students = SealedStudents(
            course,
            self._zygotes,
            reference_functions(course),
            packages=settings.packages,
            call_seconds=settings.call_seconds,
        )

    def close(self) -> None:
        """End the zygotes."""
        self._zygotes.close()

    def grade(self, submission: Submission) -> SubmissionResult:
        """Grade one submission; whatever it is, there is a verdict."""
        exercises: tuple[ExerciseResult, ...] = ()
        if submission.fault:
            return grader_failed(self._course, submission, submission.fault)
        if submission.problem:
            return ungradable(self._course, submission)
        for _attempt in range(MAX_ATTEMPTS):
            started = time.perf_counter()
            student = self._students.student(submission.files)
            try:
                exercises = self._checks.grade(student)
                student.close()
            except ZygoteError:
                exercises = ()
            if not student.lost:
                break
            # Whatever ended the zygote, the next submission deserves a new one, and this one a second chance.
            self._zygotes.close()
        if not exercises:
            return grader_failed(self._course, submission, "the zygote ended")
        return SubmissionResult(
            id=submission.id,
            path=submission.path,
            exercises=exercises,
            notes=submission.notes,
            seconds=time.perf_counter() - started,
            cpu_seconds=student.cpu_seconds,
            peak_mb=student.peak_mb,
            name=submission.name,
        )


def ungradable(course: Course, submission: Submission) -> SubmissionResult:
    """Return the verdict on a submission of which nothing could be read."""
    return _all_in_state(course, submission, State.UNGRADABLE, Feedback(got=submission.problem), Reason.SUBMISSION)


def grader_failed(course: Course, submission: Submission, reason: str) -> SubmissionResult:
    """Return the verdict when the grader, not the student, has failed."""
    feedback = failure(reason)
    return replace(_all_in_state(course, submission, State.GRADER_ERROR, feedback, Reason.GRADER), problem=feedback.got)


def _all_in_state(
    course: Course, submission: Submission, state: State, feedback: Feedback, reason: Reason
) -> SubmissionResult:
    exercises = tuple(
        ExerciseResult(exercise, tuple(CheckResult(check, state, feedback, reason) for check in exercise.checks))
        for exercise in course.exercises
    )
    return SubmissionResult(
        id=submission.id,
        path=submission.path,
        exercises=exercises,
        notes=submission.notes,
        problem=submission.problem,
        name=submission.name,
    )


def grade_all(
    submissions: Iterable[Submission], course: Course, settings: Settings, jobs: int = 1, scheduler: str = ""
) -> Generator[SubmissionResult, None, None]:
    """Yield the verdict on each submission as it is reached, in no particular order.

    Parameters
    ----------
    jobs
        Processes on this machine.
    scheduler
        Address of a Dask scheduler whose workers grade instead; empty for none.
    """
    if jobs == 1 and not scheduler:
        classroom = Classroom(course, settings)
        try:
            for submission in submissions:
                yield _graded_or_failed(classroom, course, submission)
        finally:
            classroom.close()
    else:
        make = functools.partial(_dask, scheduler) if scheduler else functools.partial(_processes, jobs)
        yield from _grade_with(make, submissions, course, settings)


def _graded_or_failed(classroom: Classroom, course: Course, submission: Submission) -> SubmissionResult:
    try:
        return classroom.grade(submission)
    except Exception as error:  # noqa: BLE001 - one submission must not stop the others
        return grader_failed(course, submission, f"{type(error).__name__}: {error}")


MakeExecutor = Callable[[], contextlib.AbstractContextManager[tuple[Executor, int]]]


def _grade_with(
    make: MakeExecutor, submissions: Iterable[Submission], course: Course, settings: Settings
) -> Iterator[SubmissionResult]:
    """Hand submissions to an executor; a new one is made when processes of the old one died."""
    waiting = iter(submissions)
    again: list[tuple[Submission, int]] = []
    exhausted = False
    while not exhausted or again:
        with make() as (executor, width):
            running: dict[Future[SubmissionResult], tuple[Submission, int]] = {}
            broken = False
            while not broken:
                while len(running) < 2 * width and not (exhausted and not again):
                    submission, attempt = again.pop() if again else (next(waiting, None), 1)
                    if submission is None:
                        exhausted = True
                    else:
                        running[executor.submit(grade_one, settings, submission)] = (submission, attempt)
                if not running:
                    break
                done, _pending = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    submission, attempt = running.pop(future)
                    error = future.exception()
                    if error is None:
                        yield future.result()
                    elif attempt < MAX_ATTEMPTS:
                        again.append((submission, attempt + 1))
                    else:
                        yield grader_failed(course, submission, f"{type(error).__name__}: {error}")
                    broken = broken or isinstance(error, BrokenProcessPool)
            # Those that were running beside the one that broke the pool have not had their chance.
            again += [(submission, attempt) for submission, attempt in running.values()]


@contextlib.contextmanager
def _processes(jobs: int) -> Iterator[tuple[Executor, int]]:
    # Spawned, not forked: a fresh interpreter shares no state and no descriptors with this one.
    executor = ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"), initializer=_ignore_interrupts)
    try:
        yield executor, jobs
    finally:
        executor.shutdown(wait=True, cancel_futures=True)


@contextlib.contextmanager
def _dask(scheduler: str) -> Iterator[tuple[Executor, int]]:
    from distributed import Client

    with Client(scheduler) as client:
        yield client.get_executor(pure=False), sum(client.nthreads().values()) or 1


def _ignore_interrupts() -> None:
    """Leave Ctrl-C to the main process, which ends this one when it is done."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


@functools.cache
def _classroom(settings: Settings) -> Classroom:
    """Return this process's classroom, made when its first submission arrives."""
    import atexit

    classroom = Classroom(load_course(), settings)
    atexit.register(classroom.close)
    return classroom


def grade_one(settings: Settings, submission: Submission) -> SubmissionResult:
    """Grade one submission in whatever process this is called."""
    return _graded_or_failed(_classroom(settings), load_course(), submission)
