"""`grader author check`: the course is fit to be released."""

from __future__ import annotations

import functools
import multiprocessing
import re
import signal
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from grader.author.answers import Answer, read_answers
from grader.author.generated import outdated
from grader.cases.fresh import FreshCases, reference_functions
from grader.grading import CheckSession
from grader.results import ExerciseResult, State
from grader.student.here import LocalStudent
from lesson.course import Course, Exercise

# Any seed will do; a fixed one makes a failure repeatable.
SEED = 7

_ANSWERS = ("tests/wrong_answers", "tests/right_answers")
# What `grader author new` leaves to an author. The skeleton has marks of this form too, for students.
_TODO = re.compile(r"TODO (\w+): ([^\"\n]*)")
_MAY_HOLD_TODO = (
    "lesson/course.toml",
    "lesson/text/*/*.md",
    "solutions/*.py",
    "grader/checks/*.py",
    "grader/cases/drawing/*.py",
    *(f"{folder}/*/*.py" for folder in _ANSWERS),
)


@dataclass(frozen=True)
class Part:
    """One part of the check.

    Attributes
    ----------
    name
        What is looked at: "TODOs", "generated files", "stubs", "solutions", or the folder of an answer.
    answer
        The answer to grade, if this part is about one.
    """

    name: str
    answer: Answer | None = None


class AuthorCheck:
    """Grade the stubs, the solutions and the collected answers with the reference at hand.

    Parameters
    ----------
    root
        Of a clone.
    exercises
        What to look at; all exercises of the course by default.
    """

    def __init__(
        self, root: Path, course: Course, seed: int = SEED, exercises: Sequence[Exercise] | None = None
    ) -> None:
        self._root = root
        self._course = course
        self._exercises = tuple(course.exercises if exercises is None else exercises)
        self._checks = CheckSession(course, FreshCases(course, seed))

    def parts(self) -> list[Part]:
        """Return what there is to look at, the answers of a folder one after another."""
        answers = [
            Part(answer.path.parent.relative_to(self._root).as_posix(), answer)
            for folder in _ANSWERS
            for answer in read_answers(self._root / folder, self._course)
            if self._is_asked_for(answer)
        ]
        return [*map(Part, ("TODOs", "generated files", "stubs", "solutions")), *answers]

    def examine(self, parts: Sequence[Part], jobs: int = 1) -> Iterator[list[str]]:
        """Yield what `problems_of` returns for each part, in the order of the parts.

        Parameters
        ----------
        jobs
            How many processes do it.
        """
        if jobs == 1:
            yield from map(self.problems_of, parts)
            return
        ask = functools.partial(_problems_of, self._root, self._course, self._exercises)
        # Spawned, not forked: a fresh interpreter shares no state with this one.
        with ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"), _ignore_interrupts) as pool:
            yield from pool.map(ask, parts)

    def problems_of(self, part: Part) -> list[str]:
        """Return a sentence for everything in one part that is not as it should be."""
        if part.answer is not None:
            return self._problems_of_answer(part.answer)
        problems = {
            "TODOs": self._left_to_do,
            "generated files": self._outdated,
            "stubs": self._stubs,
            "solutions": self._solutions,
        }
        return list(problems[part.name]())

    def grade(self, answer: Answer) -> tuple[ExerciseResult, ...]:
        """Grade an answer on the exercises of its topic."""
        return self.grade_files(answer.files(self._root), self._course.of_topic(answer.topic))

    def grade_files(
        self, files: dict[str, bytes], exercises: Sequence[Exercise] | None = None
    ) -> tuple[ExerciseResult, ...]:
        """Grade a submission on some exercises, by default on all of the course."""
        student = LocalStudent(
            files, self._course.functions, reference_functions(self._course), texts=self._course.texts
        )
        try:
            return self._checks.grade(student, exercises)
        finally:
            student.close()

    def _is_asked_for(self, answer: Answer) -> bool:
        """Whether an answer belongs to one of the exercises and can be graded here."""
        if not all(exercise.can_be_graded_here for exercise in self._course.of_topic(answer.topic)):
            return False
        return any(
            answer.path.parent.name in (exercise.id, exercise.topic)
            or any(name.startswith(f"{exercise.id}.") for name in answer.loses)
            for exercise in self._exercises
        )

    def _left_to_do(self) -> Iterator[str]:
        chosen = {exercise.id for exercise in self._exercises}
        for path in (path for pattern in _MAY_HOLD_TODO for path in sorted(self._root.glob(pattern))):
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                for exercise_id, what in _TODO.findall(line):
                    if exercise_id in chosen:
                        yield f"{path.relative_to(self._root)}:{number}: TODO {exercise_id}: {what}"

    def _outdated(self) -> Iterator[str]:
        for path in outdated(self._root, self._course):
            yield f"{path.relative_to(self._root)} is not current; run `grader author build`."

    def _stubs(self) -> Iterator[str]:
        for result in self.grade_files(self._modules("student_template"), self._exercises):
            if result.state not in (State.NOT_ATTEMPTED, State.SKIPPED) or result.points:
                yield f"The stub of {result.exercise.id} is {result.state}, not 'not attempted'.{_why(result)}"

    def _solutions(self) -> Iterator[str]:
        for result in self.grade_files(self._modules("solutions"), self._exercises):
            if result.state not in (State.PASSED, State.SKIPPED):
                yield f"The solution of {result.exercise.id} is {result.state}.{_why(result)}"

    def _problems_of_answer(self, answer: Answer) -> list[str]:
        name = answer.path.relative_to(self._root).as_posix()
        problems = [f"{name} {complaint}." for complaint in answer.complaints(self.grade(answer))]
        if name.startswith(_ANSWERS[0]) != bool(answer.loses):
            problems.append(f"{name} is in the wrong folder.")
        return problems

    def _modules(self, folder: str) -> dict[str, bytes]:
        paths = (self._root / folder / f"{topic.id}.py" for topic in self._course.topics)
        return {path.name: path.read_bytes() for path in paths}


def _ignore_interrupts() -> None:
    """Leave Ctrl-C to the main process, which ends this one when it is done."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _problems_of(root: Path, course: Course, exercises: tuple[Exercise, ...], part: Part) -> list[str]:
    return _author_check(root, course, exercises).problems_of(part)


@functools.cache
def _author_check(root: Path, course: Course, exercises: tuple[Exercise, ...]) -> AuthorCheck:
    """Return this process's check, made when its first part arrives."""
    return AuthorCheck(root, course, exercises=exercises)


def _why(result: ExerciseResult) -> str:
    """Return a sentence for each check whose verdict the grader itself has spoilt."""
    return "".join(
        f" {result.exercise.id}.{check.check.id}: {check.feedback.hidden.rstrip()}"
        for check in result.checks
        if check.state is State.GRADER_ERROR and check.feedback is not None
    )
