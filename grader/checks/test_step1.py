"""Step 1: a chain of layers, forward."""

from typing import Any

import numpy as np

from grader.cases.case import Case
from grader.checks.claims import CasesOf, agree, keeps_dtype, leaves_inputs, same
from grader.messages import _
from grader.student.handle import Student


def test_linear(student: Student, case: CasesOf) -> None:
    agree(student, case("linear"), [_bias_forgotten, _bias_subtracted])


def test_relu(student: Student, case: CasesOf) -> None:
    agree(student, case("relu"), [_nothing_zeroed, _absolute, _leaky])


def test_layer(student: Student, case: CasesOf) -> None:
    agree(
        student,
        case("layer"),
        [_relu_missing, _relu_on_output, _hidden_bias_forgotten, _output_bias_forgotten],
    )


def test_model(student: Student, case: CasesOf) -> None:
    agree(
        student,
        case("model"),
        [_only_the_output, _x_missing, _output_missing, _reverse_order, _relu_on_model_output],
    )


def test_dtype(student: Student, case: CasesOf) -> None:
    keeps_dtype(student, case("dtype"))


def test_inputs(student: Student, case: CasesOf) -> None:
    leaves_inputs(student, case("inputs"))


def _bias_forgotten(got: Any, case: Case) -> str | None:
    if same(got, case.inputs["x"] @ case.inputs["w"]):
        return _("The bias is missing: this is x @ w without + b.")
    return None


def _bias_subtracted(got: Any, case: Case) -> str | None:
    if same(got, case.inputs["x"] @ case.inputs["w"] - case.inputs["b"]):
        return _("The bias is subtracted; add it.")
    return None


def _nothing_zeroed(got: Any, case: Case) -> str | None:
    return _("Nothing was zeroed: this is x itself.") if same(got, case.inputs["x"]) else None


def _absolute(got: Any, case: Case) -> str | None:
    if same(got, np.abs(case.inputs["x"])):
        return _("This is the absolute value: negative values lost their sign instead of becoming 0.")
    return None


def _leaky(got: Any, case: Case) -> str | None:
    x = case.inputs["x"]
    negative = x < 0
    if same(got[~negative], x[~negative]) and (got[negative] != 0).all():
        return _("Negative values are scaled or squashed; ReLU replaces them by 0.")
    return None


def _layer_values(case: Case, b1: bool = True, b2: bool = True, relu_inside: bool = True) -> Any:
    x, w1, bias1, w2, bias2 = case.inputs.values()
    hidden = x @ w1 + (bias1 if b1 else 0)
    return (np.maximum(hidden, 0) if relu_inside else hidden) @ w2 + (bias2 if b2 else 0)


def _relu_missing(got: Any, case: Case) -> str | None:
    if same(got, _layer_values(case, relu_inside=False)):
        return _("The ReLU between the two linear maps is missing.")
    return None


def _relu_on_output(got: Any, case: Case) -> str | None:
    if any(same(got, np.maximum(_layer_values(case, relu_inside=inside), 0)) for inside in (True, False)):
        return _("A ReLU is applied to the output as well; a layer ends with the linear map.")
    return None


def _hidden_bias_forgotten(got: Any, case: Case) -> str | None:
    if same(got, _layer_values(case, b1=False)) or same(got, _layer_values(case, b1=False, b2=False)):
        return _("The bias b1 is missing.")
    return None


def _output_bias_forgotten(got: Any, case: Case) -> str | None:
    return _("The bias b2 is missing.") if same(got, _layer_values(case, b2=False)) else None


def _only_the_output(got: Any, case: Case) -> str | None:
    if same(got, case.expected[0]):
        return _("Only the output came back; return the tuple (output, activations).")
    return None


def _x_missing(got: Any, case: Case) -> str | None:
    if same(got[1], case.expected[1][1:]):
        return _("The list of activations starts with x itself, before the first layer.")
    return None


def _output_missing(got: Any, case: Case) -> str | None:
    if same(got[1], case.expected[1][:-1]):
        return _("The list of activations ends with the output of the last layer.")
    return None


def _reverse_order(got: Any, case: Case) -> str | None:
    if len(got[1]) > 1 and same(list(got[1])[::-1], case.expected[1]):
        return _("The activations are in reverse order: x comes first, the output last.")
    return None


def _relu_on_model_output(got: Any, case: Case) -> str | None:
    if same(got[0], np.maximum(case.expected[0], 0)):
        return _("A ReLU is applied to the output as well; the last layer ends with its linear map.")
    return None
