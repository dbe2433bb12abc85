"""Step 6: the textbook's best segment size."""

import math
from collections.abc import Callable
from typing import Any

from grader.cases.case import Case
from grader.checks.claims import CasesOf, agree
from grader.checks.comparing import is_number
from grader.messages import _
from grader.student.handle import Student


def test_nearest(student: Student, case: CasesOf) -> None:
    # Asked together, so that a cause is named only when all answers follow it.
    group = case("nearest")
    answers = [student.answer(each) for each in group.cases]

    def every(rule: Callable[[int], float]) -> bool:
        return all(
            is_number(got) and got == rule(each.inputs["n_layers"])
            for got, each in zip(answers, group.cases, strict=True)
        )

    def rounding(got: Any, each: Case) -> str | None:
        if every(math.isqrt):
            return _("This is the floor of the square root; round to the nearest whole number.")
        if every(lambda n: math.isqrt(n - 1) + 1):
            return _("This is the ceil of the square root; round to the nearest whole number.")
        if every(math.sqrt):
            return _("This is the square root itself; a segment has a whole number of layers, so round it.")
        return None

    agree(student, group, [rounding])


def test_small(student: Student, case: CasesOf) -> None:
    agree(student, case("small"))
