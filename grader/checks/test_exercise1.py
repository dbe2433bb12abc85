"""Exercise 1: prove that the gradients agree."""

import math
from typing import Any

import numpy as np

from grader.cases.case import Case
from grader.checks.verdict import CaseGroup, CasesOf, RunChecks, claim, compare, matching, wrong
from grader.comparing import ARRAY_TOLERANCE, Difference, describe, is_number
from grader.messages import _
from grader.student import Outcome, Student, reported_fields, reported_flag, reported_number

# A difference of float32 values may be computed in float32; the two paths may sum up in another order.
RELATIVE_TOLERANCE = {"float32": 1e-5, "float64": 1e-9}
SPOILT = "model_backward_checkpointed"


def test_exercise1(run: RunChecks) -> None:
    run(largest, structure, not_finite, parameters, input_gradient, agreement)


def largest(student: Student, case: CasesOf) -> None:
    group = case("largest")
    for each in group.cases:
        got = student.answer(each)
        tolerance = RELATIVE_TOLERANCE[_all_values(each.inputs["grads_a"]).dtype.name]
        if not (is_number(got) and math.isclose(float(got), each.expected, rel_tol=tolerance)):
            compare(each, got, each.expected, group.public, _LARGEST_CAUSES)


def structure(student: Student, case: CasesOf) -> None:
    group = case("structure")
    for each in group.cases:
        if each.expected is not None:  # nothing is different here, so an exception of any kind is an error
            student.answer(each)
            continue
        try:
            got = student.answer(each)
        except Outcome as outcome:
            if outcome.facts.get("base") == "ValueError":
                continue
            raise
        claim(False, each, group.public, describe(got), _("a ValueError"), _structure_cause(each))


def not_finite(student: Student, case: CasesOf) -> None:
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
                    not math.isfinite(float(got)), asked, group.public, _("a finite number"), due,
                    _("A gradient with a {value} looks like agreement, or like a small difference.").format(
                        value=value
                    ),
                )  # fmt: skip


def parameters(student: Student, case: CasesOf) -> None:
    _notices(student, case("parameters"))


def input_gradient(student: Student, case: CasesOf) -> None:
    _notices(student, case("input_gradient"))


def agreement(student: Student, case: CasesOf) -> None:
    group = case("agreement")
    for each in group.cases:
        got = student.answer(each)
        limit = ARRAY_TOLERANCE[each.inputs["x"].dtype.name] * each.expected
        if not is_number(got):
            wrong(each, group.public, Difference("", describe(got), _("a number")))
        claim(
            0 <= float(got) <= limit, each, group.public,
            _("a negative number") if float(got) < 0 else _("a number beyond what rounding explains"),
            _("nearly 0: the two ways give the same gradients"),
            _("Do both paths start from the same grad_output, x and k?") if float(got) > limit else "",
        )  # fmt: skip


def _notices(student: Student, group: CaseGroup) -> None:
    """The spoilt value makes a difference of the expected size, or an exception."""
    for each in group.cases:
        x, params, k, *spoilt = each.inputs.values()
        layer, position, index, factor, amount = spoilt
        report = reported_fields(
            student.probe(
                "under_spoilt_gradient", function=each.function, args=(x, params, k), spoilt=SPOILT,
                layer=layer, position=position, index=index, factor=factor, amount=amount,
            ),
            ("intact", "spoilt", "raised", "calls"),
        )  # fmt: skip
        if reported_flag(report["raised"]):
            continue
        got, intact, calls = report["spoilt"], report["intact"], reported_number(report["calls"])
        asked = Case(each.function, {"x": x, "params": params, "k": k}, each.expected)
        if not is_number(got):
            wrong(asked, group.public, Difference("", describe(got), _("a number")))
        claim(
            math.isclose(float(got), each.expected, rel_tol=1e-6), asked, group.public,
            _("the same as without the mistake") if _same_number(got, intact) else _("another number"),
            _("the size of a mistake that was put into a gradient of {function}").format(function=SPOILT),
            _spoilt_cause(each, calls, _same_number(got, intact)),
        )  # fmt: skip


def _spoilt_cause(case: Case, calls: float, unnoticed: bool) -> str:
    if calls == 0:
        return _("{function} was not called by its global name.").format(function=SPOILT)
    if case.inputs["layer"] < 0 and unnoticed:
        return _("The gradients of x are not compared.")
    if case.inputs["factor"] != 1 and not unnoticed:
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


def _differences(case: Case) -> np.ndarray:
    a, b = (_all_values(case.inputs[name]) for name in ("grads_a", "grads_b"))
    return np.subtract(a, b, dtype=np.float64)


def _signed(got: Any, case: Case) -> str | None:
    found = _differences(case)
    if any(math.isclose(got, extreme, rel_tol=1e-9) for extreme in (found.max(), found.min())):
        return _("This is the largest signed difference; take absolute values first.")
    return None


def _other_summary(got: Any, case: Case) -> str | None:
    found = np.abs(_differences(case))
    return matching(
        got, case.expected,
        (
            (found.sum(), _("This is the sum of the differences; the largest one is due.")),
            (found.mean(), _("This is the mean of the differences; the largest one is due.")),
            (math.sqrt((found**2).sum()), _("This is the norm of the differences; the largest one is due.")),
            (math.sqrt((found**2).mean()), _("This is the root of the mean square; the largest difference is due.")),
        ),
    )  # fmt: skip


def _relative(got: Any, case: Case) -> str | None:
    a, b = (np.abs(_all_values(case.inputs[name])) for name in ("grads_a", "grads_b"))
    found = np.abs(_differences(case))
    with np.errstate(all="ignore"):
        possible = [np.nanmax(found / scale) for scale in (a, b, np.maximum(a, b), a.max(), b.max(), a + b)]
    if any(math.isclose(got, value, rel_tol=1e-6) for value in possible):
        return _("This is a relative difference; the absolute one is due.")
    return None


def _of_one_layer(got: Any, case: Case) -> str | None:
    pairs = list(zip(case.inputs["grads_a"], case.inputs["grads_b"], strict=True))
    for place, (a, b) in (("first", pairs[0]), ("last", pairs[-1])):
        if len(pairs) > 1 and math.isclose(got, np.abs(_all_values([a]) - _all_values([b])).max(), rel_tol=1e-9):
            return (
                _("This is the largest difference of the first layer only.")
                if place == "first"
                else _("This is the largest difference of the last layer only.")
            )
    return None


def _of_some_arrays(got: Any, case: Case) -> str | None:
    for positions, cause in (
        ((0, 2), _("Only the gradients of the weights are compared; the biases count as well.")),
        ((1, 3), _("Only the gradients of the biases are compared; the weights count as well.")),
    ):
        a, b = (
            _all_values([[layer[position] for position in positions] for layer in case.inputs[name]])
            for name in ("grads_a", "grads_b")
        )
        if math.isclose(got, np.abs(a - b).max(), rel_tol=1e-9):
            return cause
    return None


def _tolerant(got: Any, case: Case) -> str | None:
    if got == 0 and 0 < case.expected < 1e-6:
        return _("A small difference is a difference: return it instead of asking np.allclose or rounding.")
    return None


_LARGEST_CAUSES = (_tolerant, _signed, _other_summary, _relative, _of_some_arrays, _of_one_layer)
