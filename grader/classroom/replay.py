"""`grader replay`: the exact call behind a verdict, as a snippet that runs on its own, and its verdict today."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from grader.cases.case import Case
from grader.cases.fresh import FreshCases, reference_functions
from grader.checks.scripts import SCRIPTS
from grader.files import Submission
from grader.grading import CheckSession
from grader.isolation.sandbox import detect
from grader.isolation.zygote import Zygotes
from grader.results import CheckResult, State
from grader.student.sealed import SealedStudents
from lesson.course import Course, Exercise


@dataclass(frozen=True)
class Replay:
    """The verdict on one check, asked again.

    Attributes
    ----------
    number, count
        Which case of the check this is, from 1, and how many there are; the first one that does not pass, else the
        last.
    snippet
        Python source that makes the call and prints the result beside the expected one.
    """

    result: CheckResult
    number: int
    count: int
    snippet: str


class _OneCase:
    """Cases of a run with those of one check narrowed down to a single one."""

    public = False

    def __init__(self, cases: FreshCases, exercise_id: str, check_id: str) -> None:
        self._cases = cases
        self.reference = cases.reference
        self._exercise_id = exercise_id
        self._check_id = check_id
        self.index = 0

    def of(self, exercise_id: str) -> Mapping[str, Sequence[Case]]:
        """Return the cases of one exercise."""
        groups = dict(self._cases.of(exercise_id))
        if exercise_id == self._exercise_id:
            groups[self._check_id] = [groups[self._check_id][self.index]]
        return groups


def replay(submission: Submission, course: Course, seed: int, exercise: Exercise, check_id: str) -> Replay:
    """Ask the cases of one check again, one by one, until one does not pass.

    Parameters
    ----------
    seed
        The seed of the run.
    """
    fresh = FreshCases(course, seed)
    cases = _OneCase(fresh, exercise.id, check_id)
    group = fresh.of(exercise.id)[check_id]
    session = CheckSession(course, cases)
    zygotes = Zygotes(detect(), course.importable)
    students = SealedStudents(course, zygotes, reference_functions(course))
    try:
        for index, case in enumerate(group):
            cases.index = index
            student = students.student(submission.files)
            try:
                (graded,) = session.grade(student, [exercise])
            finally:
                student.close()
            result = next(result for result in graded.checks if result.check.id == check_id)
            if result.state is not State.PASSED or index + 1 == len(group):
                return Replay(result, index + 1, len(group), snippet(course, exercise, case))
    finally:
        zygotes.close()
    raise ValueError(f"the check {check_id} has no cases")


def snippet(course: Course, exercise: Exercise, case: Case) -> str:
    """Return Python source that asks a case, to be run where the submission's modules are."""
    reference = reference_functions(course).get(case.function)
    names = list(case.inputs)
    if case.function in course.texts:
        return f"from {exercise.topic} import {case.function}\n\nprint({case.function})\n"
    if reference is not None and set(names) <= set(inspect.signature(reference).parameters):
        script: Sequence[str] = (f"result = {case.function}({', '.join(names)})",)
    else:
        script = SCRIPTS.get(case.function, (f"# {case.function} is asked by a probe with these inputs",))
    lines = ["import numpy as np", "from numpy import nan, inf", "", f"from {exercise.topic} import *", ""]
    lines += [f"{name} = {literal(value)}" for name, value in case.inputs.items()]
    lines += ["", *script]
    if script[-1].startswith("result"):
        lines.append('print("got     ", result)')
    if case.has_answer:
        lines += [f"expected = {literal(case.expected)}", 'print("expected", expected)']
    return "\n".join(lines) + "\n"


def literal(value: Any) -> str:
    """Return Python source for a plain value, exact to the last bit."""
    if isinstance(value, np.ndarray):
        return f"np.array({value.tolist()!r}, dtype=np.{value.dtype.name}).reshape({value.shape})"
    if isinstance(value, np.generic):
        return f"np.{value.dtype.name}({value.item()!r})"
    if isinstance(value, list):
        return f"[{', '.join(map(literal, value))}]"
    if isinstance(value, tuple):
        return f"({', '.join(map(literal, value))}{',' if len(value) == 1 else ''})"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key!r}: {literal(item)}" for key, item in value.items()) + "}"
    return repr(value)
