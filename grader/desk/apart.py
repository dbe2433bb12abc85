"""A student's files in a process of their own, on their own machine: `grader check` where there are such processes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from grader.desk.checking import installed_but_broken
from grader.isolation.apart import ApartProcesses
from grader.student.outcomes import Outcome
from grader.student.process import ProcessStudent
from lesson.course import Course, Exercise


class ApartStudent(ProcessStudent):
    """A student's files in a process that may end or hang without taking the check along."""

    def __init__(self, files: Mapping[str, bytes], course: Course) -> None:
        super().__init__(
            ApartProcesses(),
            files,
            course.functions,
            patience=course.call_seconds,
            requires=course.required(course.packages),
            texts=course.texts,
        )

    def probe_without_student(self, name: str, /, **values: Any) -> Any:
        """Run a probe beside the student's code: nothing is hidden here."""
        return self.probe(name, **values)

    def import_ahead(self, exercise: Exercise) -> str:
        """Import what an exercise requires if its functions are there, which no call has to answer for.

        Returns
        -------
        str
            Why that is impossible, though it is installed; empty if it is not.
        """
        try:
            self._begin("")
        except Outcome:
            return ""  # which every call will say
        answered = any(name in (self._origins or {}) for name in exercise.functions)
        reason = self._unavailable.get(exercise.requires, "")
        return installed_but_broken(reason) if answered and reason else ""
