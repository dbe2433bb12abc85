"""Exercise 1: prove that the gradients agree."""

import math
from dataclasses import replace
from typing import Any

import numpy as np

from grader.cases.case import Case
from grader.checks.claims import CaseGroup, CasesOf, Rule, Wrong, called, claim, compare, follows, wrong
from grader.checks.comparing import ARRAY_TOLERANCE, Difference, describe, is_number
from grader.checks.explaining import explain
from grader.messages import _
from grader.student.handle import Student, reported_count, reported_fields, reported_flag
from grader.student.outcomes import Raised

# A difference of float32 values may be computed in float32; the two paths may sum up in another order.
RELATIVE_TOLERANCE = {"float32": 1e-5, "float64": 1e-9}
# For the size of a mistake that was put into a gradient on purpose.
MISTAKE_TOLERANCE = 1e-4
SPOILT = "model_backward_checkpointed"


def test_largest(student: Student, case: CasesOf) -> None:
    group = case("largest")
    causes = [follows(student.answer, group, _largest_rules())]
    for each in group.cases:
        got = student.answer(each)
        tolerance = RELATIVE_TOLERANCE[_all_values(each.inputs["grads_a"]).dtype.name]
        if not (is_number(got) and math.isclose(float(got), each.expected, rel_tol=tolerance)):
            compare(each, got, each.expected, group.public, causes)


def test_structure(student: Student, case: CasesOf) -> None:
    group = case("structure")
    for each in group.cases:
        if each.has_answer:  # nothing is different here, so an exception of any kind is an error
            student.answer(each)
            continue
        try:
            got = student.answer(each)
        except Raised as outcome:
            if outcome.error.base == "ValueError":
                continue
            raised = explain(outcome, public=group.public)
            asked = called(each, group.public)
            raise Wrong(replace(raised, called=asked, expected=_("a ValueError"))) from None
        claim(False, each, group.public, describe(got), _("a ValueError"), _structure_cause(each))


def test_not_finite(student: Student, case: CasesOf) -> None:
    group = case("not_finite")
    for each in group.cases:
        good, also_good, layer, position, index = each.inputs.values()
        for value in (math.nan, math.inf):
            broken = _with_value(also_good, layer, position, index, value)
            pairs = [(good, broken), (broken, good), (broken, broken)] if math.isnan(value) else [(good, broken)]
            for grads_a, grads_b in pairs:
                asked = Case(each.function, {"grads_a": grads_a, "grads_b": grads_b})
                got = student.call(each.function, grads_a, grads_b)
                due = _("nan or inf")
                if not is_number(got):
                    wrong(asked, group.public, Difference("", describe(got), due))
                claim(
                    not math.isfinite(float(got)),
                    asked,
                    group.public,
                    _("a finite number"),
                    due,
                    _("A gradient with a {value} looks like agreement, or like a small difference.").format(
                        value=value
                    ),
                )


def test_parameters(student: Student, case: CasesOf) -> None:
    _notices(student, case("parameters"))


def test_input_gradient(student: Student, case: CasesOf) -> None:
    _notices(student, case("input_gradient"))


def test_agreement(student: Student, case: CasesOf) -> None:
    group = case("agreement")
    for each in group.cases:
        got = student.answer(each)
        limit = ARRAY_TOLERANCE[each.inputs["x"].dtype.name] * each.expected
        if not is_number(got):
            wrong(each, group.public, Difference("", describe(got), _("a number")))
        claim(
            0 <= float(got) <= limit,
            each,
            group.public,
            _("a negative number") if float(got) < 0 else _("a number beyond what rounding explains"),
            _("nearly 0: the two ways give the same gradients"),
            _("Do both paths start from the same grad_output, x and k?") if float(got) > limit else "",
        )


def _notices(student: Student, group: CaseGroup) -> None:
    """Claim that the spoilt value makes a difference of the expected size, or an exception."""
    for each in group.cases:
        x, params, k, *spoilt = each.inputs.values()
        layer, position, index, factor, amount = spoilt
        report = reported_fields(
            student.probe(
                "under_spoilt_gradient",
                function=each.function,
                args=(x, params, k),
                spoilt=SPOILT,
                apart_from="model_backward",
                layer=layer,
                position=position,
                index=index,
                factor=factor,
                amount=amount,
            ),
            ("intact", "spoilt", "raised", "calls"),
        )
        if reported_flag(report["raised"]):
            continue
        got, intact, calls = report["spoilt"], report["intact"], reported_count(report["calls"])
        asked = Case(each.function, {"x": x, "params": params, "k": k}, each.expected)
        if not is_number(got):
            wrong(asked, group.public, Difference("", describe(got), _("a number")))
        claim(
            math.isclose(float(got), each.expected, rel_tol=MISTAKE_TOLERANCE),
            asked,
            group.public,
            _("the same as without the mistake") if _same_number(got, intact) else _("another number"),
            _("the size of a mistake that was put into a gradient of {function}").format(function=SPOILT),
            _spoilt_cause(each, calls, _same_number(got, intact)),
        )


def _spoilt_cause(case: Case, calls: int, unnoticed: bool) -> str:
    if calls == 0:
        return _("{function} was not called by its global name.").format(function=SPOILT)
    if case.inputs["layer"] < 0 and unnoticed:
        return _("The gradients of x are not compared.")
    if case.inputs["factor"] != 1:
        return _("Is the largest absolute difference returned, and is grad_output an array of ones?")
    return _("Compare all gradients of the two paths, one by one.") if unnoticed else ""


def _same_number(a: Any, b: Any) -> bool:
    return is_number(a) and is_number(b) and math.isclose(float(a), float(b), rel_tol=1e-9, abs_tol=1e-12)


def _all_values(grads: Any) -> np.ndarray:
    values: np.ndarray = np.concatenate([np.ravel(array) for layer in grads for array in layer])
    return values


def _with_value(grads: Any, layer: int, position: int, index: int, value: float) -> Any:
    changed = [[array.copy() for array in arrays] for arrays in grads]
    changed[layer][position].flat[index] = value
    return [tuple(arrays) for arrays in changed]


def _structure_cause(case: Case) -> str:
    a, b = case.inputs["grads_a"], case.inputs["grads_b"]
    if len(a) != len(b):
        return _("The numbers of layers differ; zip stops at the shorter list unless you pass strict=True.")
    if [len(layer) for layer in a] != [len(layer) for layer in b]:
        return _("A tuple is shorter than the other; zip stops at the shorter one unless you pass strict=True.")
    return _("Two arrays differ in shape; NumPy may broadcast one to the other without a word.")


def _differences(case: Case, layers: slice = slice(None), arrays: slice = slice(None)) -> np.ndarray:
    a, b = (
        _all_values([layer[arrays] for layer in case.inputs[name][layers]]).astype(np.float64)
        for name in ("grads_a", "grads_b")
    )
    found: np.ndarray = a - b
    return found


def _absolute(case: Case, layers: slice = slice(None), arrays: slice = slice(None)) -> np.ndarray:
    found: np.ndarray = np.abs(_differences(case, layers, arrays))
    return found


def _largest_rules() -> list[tuple[Rule, str]]:
    tolerant = _("A small difference is a difference: return it instead of asking np.allclose or rounding.")
    relative = _("This is a relative difference; the absolute one is due.")
    signed = _("This is the largest signed difference; take absolute values first.")
    return [
        (lambda case: round(case.expected, 9), tolerant),
        (lambda case: float(case.expected > 1e-6), tolerant),
        (lambda case: float(case.expected < 1e-6), tolerant),
        (lambda case: _differences(case).max(), signed),
        (lambda case: -_differences(case).min(), signed),
        (lambda case: _absolute(case).sum(), _("This is the sum of the differences; the largest one is due.")),
        (lambda case: _absolute(case).mean(), _("This is the mean of the differences; the largest one is due.")),
        (_norm, _("This is the norm of the differences; the largest one is due.")),
        (lambda case: _relative(case, np.maximum), relative),
        (lambda case: _relative(case, np.add), relative),
        (
            lambda case: _absolute(case, arrays=slice(0, 4, 2)).max(),
            _("Only the gradients of the weights are compared; the biases count as well."),
        ),
        (
            lambda case: _absolute(case, arrays=slice(1, 4, 2)).max(),
            _("Only the gradients of the biases are compared; the weights count as well."),
        ),
        (
            lambda case: _absolute(case, layers=slice(0, 1)).max(),
            _("This is the largest difference of the first layer only."),
        ),
        (
            lambda case: _absolute(case, layers=slice(-1, None)).max(),
            _("This is the largest difference of the last layer only."),
        ),
    ]


def _norm(case: Case) -> float:
    return math.sqrt((_differences(case) ** 2).sum())


def _relative(case: Case, scale_of: Any) -> float:
    a, b = (np.abs(_all_values(case.inputs[name])).astype(np.float64) for name in ("grads_a", "grads_b"))
    return float((np.abs(_differences(case)) / np.maximum(scale_of(a, b), 1e-30)).max())
