"""Step 2: the chain, backward."""

from typing import Any

import numpy as np

from grader.cases.case import Case
from grader.checks import gradients
from grader.checks.claims import (
    CasesOf,
    agree,
    arrays_in,
    claim,
    keeps_dtype,
    leaves_inputs,
    same,
)
from grader.checks.comparing import Parts
from grader.messages import _
from grader.student.handle import Student

_CAUSES = gradients.causes(lambda got: got[1], lambda case: case.expected[1])


def test_input_gradient(student: Student, case: CasesOf) -> None:
    agree(
        student,
        case("input_gradient"),
        [_grad_output_returned, _relu_ignored, _mean],
        lambda answer: answer[0],
    )


def test_weights(student: Student, case: CasesOf) -> None:
    agree(student, case("weights"), _CAUSES, lambda answer: _members(answer[1], gw1=0, gw2=2))


def test_biases(student: Student, case: CasesOf) -> None:
    agree(student, case("biases"), _CAUSES, lambda answer: _members(answer[1], gb1=1, gb2=3))


def test_kink(student: Student, case: CasesOf) -> None:
    group = case("kink")
    for each in group.cases:
        # Every hidden unit sits exactly on the kink, so whatever has one entry for each of them must be zero.
        hidden_width = each.inputs["params"][0][0].shape[1]
        found = [array for array in arrays_in(student.answer(each)) if hidden_width in array.shape]
        claim(
            bool(found) and not any(np.any(array) for array in found),
            each,
            group.public,
            _("a gradient that passes through hidden units whose pre-activation is exactly 0"),
            _("zero gradients for w1, b1 and w2"),
            _("The derivative of ReLU at exactly 0 counts as 0: compare with > 0, not with >= 0."),
        )


def test_dtype(student: Student, case: CasesOf) -> None:
    keeps_dtype(student, case("dtype"))


def test_inputs(student: Student, case: CasesOf) -> None:
    leaves_inputs(student, case("inputs"))


def _members(grads: Any, **indices: int) -> Parts:
    """Return some of the four gradients of every layer."""
    return Parts(grads=[Parts({name: layer[index] for name, index in indices.items()}) for layer in grads])


def _grad_output_returned(got: Any, case: Case) -> str | None:
    if same(got[0], case.inputs["grad_output"]):
        return _("This is grad_output itself: carry the gradient through every layer.")
    return None


def _relu_ignored(got: Any, case: Case) -> str | None:
    gradient = case.inputs["grad_output"]
    for w1, _b1, w2, _b2 in reversed(case.inputs["params"]):
        gradient = gradient @ w2.T @ w1.T
    if same(got[0], gradient):
        return _("The derivative of ReLU is missing: units that were cut off pass no gradient.")
    return None


def _mean(got: Any, case: Case) -> str | None:
    n = case.inputs["grad_output"].shape[0]
    return (
        _("This is the gradient divided by the number of rows, a mean.") if same(got[0] * n, case.expected[0]) else None
    )
