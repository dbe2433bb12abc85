"""`grader author check`: the course is fit to be released."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from grader.author.answers import Answer, read_answers
from grader.author.generated import outdated
from grader.cases.fresh import FreshCases, reference_functions
from grader.grading import CheckSession
from grader.results import ExerciseResult, State
from grader.student.here import LocalStudent
from lesson.course import Course

# Any seed will do; a fixed one makes a failure repeatable.
SEED = 7


class AuthorCheck:
    """Grade the stubs, the solutions and the collected answers with the reference at hand."""

    def __init__(self, root: Path, course: Course, seed: int = SEED) -> None:
        self._root = root
        self._course = course
        self._checks = CheckSession(course, FreshCases(course, seed))

    def problems(self) -> Iterator[str]:
        """Yield a sentence for everything that is not as it should be."""
        for path in outdated(self._root, self._course):
            yield f"{path.relative_to(self._root)} is not current; run `grader author build`."
        for result in self._grade(self._modules("student_template")):
            if result.state not in (State.NOT_ATTEMPTED, State.SKIPPED) or result.points:
                yield f"The stub of {result.exercise.id} is {result.state}, not 'not attempted'.{_why(result)}"
        for result in self._grade(self._modules("solutions")):
            if result.state not in (State.PASSED, State.SKIPPED):
                yield f"The solution of {result.exercise.id} is {result.state}.{_why(result)}"
        for folder in ("wrong_answers", "right_answers"):
            yield from self._answers(folder)

    def grade(self, answer: Answer) -> tuple[ExerciseResult, ...]:
        """Grade an answer on the exercises of its topic."""
        return self._grade(answer.files(self._root), answer.topic)

    def _answers(self, folder: str) -> Iterator[str]:
        for answer in read_answers(self._root / "tests" / folder, self._course):
            if not all(exercise.can_be_graded_here for exercise in self._course.of_topic(answer.topic)):
                continue
            for complaint in answer.complaints(self.grade(answer)):
                yield f"tests/{folder}/{answer.name}.py {complaint}."
            if (folder == "wrong_answers") != bool(answer.loses):
                yield f"tests/{folder}/{answer.name}.py is in the wrong folder."

    def _grade(self, files: dict[str, bytes], topic: str = "") -> tuple[ExerciseResult, ...]:
        exercises = self._course.of_topic(topic) if topic else self._course.exercises
        student = LocalStudent(
            files, self._course.functions, reference_functions(self._course), texts=self._course.texts
        )
        try:
            return self._checks.grade(student, exercises)
        finally:
            student.close()

    def _modules(self, folder: str) -> dict[str, bytes]:
        paths = (self._root / folder / f"{topic.id}.py" for topic in self._course.topics)
        return {path.name: path.read_bytes() for path in paths}


def _why(result: ExerciseResult) -> str:
    """Return a sentence for each check whose verdict the grader itself has spoilt."""
    return "".join(
        f" {result.exercise.id}.{check.check.id}: {check.feedback.hidden.rstrip()}"
        for check in result.checks
        if check.state is State.GRADER_ERROR and check.feedback is not None
    )
