"""Compare gradients of the chain and name the usual mistakes; for steps 2 and 3."""

from collections.abc import Callable
from typing import Any

import numpy as np

from grader.cases.case import Case
from grader.checks.claims import Cause, same
from grader.messages import _

Take = Callable[[Any], Any]


def causes(grads_of: Take, expected_of: Take) -> list[Cause]:
    """Return the causes for a list of (gw1, gb1, gw2, gb2).

    Parameters
    ----------
    grads_of, expected_of
        Take the list from an answer and from a case.
    """

    def reverse_order(got: Any, case: Case) -> str | None:
        right = expected_of(case)
        if len(right) > 1 and same(list(grads_of(got))[::-1], right):
            return _("The gradients are in reverse order: grads[i] belongs to params[i].")
        return None

    def transposed(got: Any, case: Case) -> str | None:
        for mine, right in _pairs(grads_of(got), expected_of(case)):
            if not same(mine, right) and right.ndim == 2 and same(mine, right.T):
                return _("A weight gradient is transposed: gw has the shape of w.")
        return None

    def mean(got: Any, case: Case) -> str | None:
        n = case.inputs["grad_output"].shape[0]
        for mine, right in _pairs(grads_of(got), expected_of(case)):
            if n > 1 and not same(mine, right) and same(mine * n, right):
                return _("A gradient is the mean over the rows; it is their sum.")
        return None

    def not_summed(got: Any, case: Case) -> list[str] | None:
        for mine, right in _pairs(grads_of(got), expected_of(case)):
            if right.ndim == 1 and mine.ndim == 2 and same(mine.sum(axis=0), right):
                rows = _("A bias gradient still has rows: sum over them, so that gb has the shape of b.")
                axis = _("A bias gradient has an axis too many: it has the shape of b.")
                return [axis, rows] if len(mine) == 1 else [rows]
        return None

    def other_order(got: Any, case: Case) -> str | None:
        for mine, right in zip(grads_of(got), expected_of(case), strict=True):
            if not same(mine, right) and any(same([mine[i] for i in order], list(right)) for order in _ORDERS):
                return _("The four gradients of a layer come in the order (gw1, gb1, gw2, gb2).")
        return None

    def last_layers_only(got: Any, case: Case) -> str | None:
        right = expected_of(case)
        grads = list(grads_of(got))
        if 0 < len(grads) < len(right) and same(grads, right[-len(grads) :]):
            return _("The gradients are those of the last segment only.")
        if len(grads) == len(right):
            first_right = next((i for i in range(len(right)) if same(grads[i:], right[i:])), len(right))
            if 0 < first_right < len(right) and not any(_nonzero(layer) for layer in grads[:first_right]):
                return _("The gradients are those of the last segment only.")
        return None

    def relu_ignored(got: Any, case: Case) -> str | None:
        del case
        for layer in grads_of(got):
            if any(not np.isfinite(array).all() for array in layer):
                return _("A gradient is not finite: look for a division or an array made with np.empty.")
        return None

    return [reverse_order, not_summed, mean, transposed, other_order, last_layers_only, relu_ignored]


_ORDERS = ((1, 0, 3, 2), (2, 3, 0, 1), (0, 2, 1, 3), (0, 1, 3, 2), (1, 0, 2, 3))


def _pairs(grads: Any, expected: Any) -> list[tuple[np.ndarray, np.ndarray]]:
    return [
        (mine, right)
        for layer, right_layer in zip(grads, expected, strict=True)
        for mine, right in zip(layer, right_layer, strict=True)
    ]


def _nonzero(layer: Any) -> bool:
    return layer is not None and any(np.any(array) for array in layer)
