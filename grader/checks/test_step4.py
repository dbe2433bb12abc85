"""Step 4: what recomputation costs."""

import math
from typing import Any

from grader.cases.case import Case
from grader.checks.claims import CasesOf, agree
from grader.messages import _
from grader.student.handle import Student


def test_full(student: Student, case: CasesOf) -> None:
    agree(student, case("full"), [_flops_ignored, _backward_counted_once], _counts)


def test_overhead(student: Student, case: CasesOf) -> None:
    agree(student, case("overhead"), [_other_comparison], _overhead)


def test_selective(student: Student, case: CasesOf) -> None:
    agree(student, case("selective"), [_flops_ignored, _recomputes_all, _backward_counted_once], _counts)


def test_selective_overhead(student: Student, case: CasesOf) -> None:
    agree(student, case("selective_overhead"), [_other_comparison], _overhead)


def _counts(answer: Any) -> Any:
    return {key: answer[key] for key in ("fwd", "recompute", "bwd", "total")}


def _overhead(answer: Any) -> Any:
    return answer["overhead_vs_no_ckpt"]


def _flops_ignored(got: Any, case: Case) -> str | None:
    flops = case.inputs.get("flops_per_layer", 1.0)
    if flops != 1 and math.isclose(got["fwd"] * flops, case.expected["fwd"]):
        return _("flops_per_layer is ignored.")
    return None


def _backward_counted_once(got: Any, case: Case) -> str | None:
    if math.isclose(got["bwd"] * 2, case.expected["bwd"]):
        return _("A backward costs twice its forward: two matrix products for each one.")
    return None


def _recomputes_all(got: Any, case: Case) -> str | None:
    if math.isclose(got["recompute"], case.expected["fwd"]) and got["recompute"] != case.expected["recompute"]:
        return _("The whole layer is recomputed; selective recomputes the attention's fraction only.")
    return None


def _other_comparison(got: Any, case: Case) -> list[str]:
    mine, right = float(got["overhead_vs_no_ckpt"]), case.expected
    extra = right["recompute"]
    known = [
        (100 * right["overhead_vs_no_ckpt"], _("This is a percentage; return a fraction: 0.33 rather than 33.")),
        (
            extra / right["fwd"],
            _("This compares with the forward alone; compare with the whole step, forward and backward."),
        ),
        (
            extra / right["bwd"],
            _("This compares with the backward alone; compare with the whole step, forward and backward."),
        ),
        (
            extra / right["total"],
            _("This is the share of the new step; divide by the step without recomputation."),
        ),
        (extra, _("This is the extra work itself; divide it by the work of a step without recomputation.")),
        (
            1 + right["overhead_vs_no_ckpt"],
            _("This is the ratio of the two steps; subtract 1 to get the overhead."),
        ),
    ]
    return [cause for value, cause in known if math.isclose(mine, value, rel_tol=1e-6)]
