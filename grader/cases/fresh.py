"""Fresh cases for `grader run`, from a seed that no student has seen, with answers from the solutions."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Mapping
from typing import Any

from grader.cases.case import Case
from grader.cases.drawing import draw_cases
from lesson.course import Course
from solutions.planner.optimum import best_overhead


class FreshCases:
    """Cases drawn once for a whole run; every submission gets the same ones."""

    def __init__(self, course: Course, seed: int, *, public: bool = False) -> None:
        self.public = public
        self._seed = seed
        # An example in a prompt may have more layers than `plan_policy` can try every plan for.
        self.reference = {**reference_functions(course), "best_overhead": best_overhead}
        self._drawn: dict[str, Mapping[str, list[Case]]] = {}

    def of(self, exercise_id: str) -> Mapping[str, list[Case]]:
        """Return the cases of one exercise by the name of their check."""
        if exercise_id not in self._drawn:
            self._drawn[exercise_id] = draw_cases(exercise_id, self._seed, self.reference)
        return self._drawn[exercise_id]


@functools.cache
def reference_functions(course: Course) -> Mapping[str, Callable[..., Any]]:
    """Return the graded functions of `solutions/` by name, without those that need more than numpy.

    These are asked where student code runs, and nothing else is imported here.
    """
    functions = {}
    for exercise in course.exercises:
        if exercise.requires:
            continue
        module = importlib.import_module(f"solutions.{exercise.topic}")
        functions.update({name: getattr(module, name) for name in exercise.functions})
    return functions
