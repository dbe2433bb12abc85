"""Exercise 3: recompute the attention."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from grader.cases.case import Case
from grader.checks.claims import (
    CaseGroup,
    CasesOf,
    Rule,
    agree,
    claim,
    compare,
    follows,
    nothing_changed,
    of_dtype_of_inputs,
    same,
    wrong,
)
from grader.checks.comparing import Difference, describe
from grader.messages import _
from grader.student.handle import Student, reported_count, reported_names
from grader.worker.wire import Opaque

FORWARD, BACKWARD = "attention_forward_selective", "attention_backward_selective"
NAMES = ("x", "wq", "wk", "wv", "wo")
# Bytes beside x that are not worth a word: the number of heads, a scale, a name.
SPARE_BYTES = 128
# Scores of several hundred lose three digits before the softmax sees them.
LARGE_SCORES_TOLERANCE = 1e-9
# Central differences with this step are good to about 1e-9 of a slope.
STEP = 1e-5
SLOPE_TOLERANCE = 1e-6


def test_output(student: Student, case: CasesOf) -> None:
    group = case("output")
    for each in group.cases:
        compare(_forward_case(each), _first(_forward(student, each)), each.expected["y"], group.public, _FORWARD_CAUSES)


def test_gradients(student: Student, case: CasesOf) -> None:
    group = case("gradients")
    _all_forwards(student, group)
    for each in group.cases:
        compare(_backward_case(each), _backward(student, each), _gradients(each), group.public, _BACKWARD_CAUSES)


def test_slope(student: Student, case: CasesOf) -> None:
    group = case("slope")
    _all_forwards(student, group)
    student.call(FORWARD, *_forward_case(case("output").cases[0]).inputs.values())
    for each in group.cases:
        got = _backward(student, each)
        asked = _backward_case(each)
        shapes = [each.inputs["x"].shape, *(weight.shape for weight in each.inputs["weights"])]
        mine = _flat(got)
        if [array.shape for array in mine] != shapes or any(array.dtype.kind != "f" for array in mine):
            compare(asked, got, _gradients(each), group.public)
        for index, (name, gradient) in enumerate(zip(NAMES, mine, strict=True)):
            direction = each.inputs["directions"][index]
            measured = _slope(student, each, index, group.public)
            with np.errstate(all="ignore"):
                claimed = float((gradient.astype(np.float64) * direction).sum())
                scale = max(abs(measured), float(np.sqrt((gradient**2).sum() * (direction**2).sum())))
            claim(
                measured != 0,
                asked,
                group.public,
                _("an output that does not change with {name}").format(name=name),
                _("an output that depends on x and on all four weights"),
            )
            claim(
                abs(measured - claimed) <= SLOPE_TOLERANCE * scale,
                asked,
                group.public,
                _("a gradient of {name} that is not the slope of your forward").format(name=name),
                _("the slope that finite differences of {function} give").format(function=FORWARD),
                _("Forward and backward belong to different functions: check the output first.")
                if same(got, _gradients(each))
                else "",
            )


def test_large_scores(student: Student, case: CasesOf) -> None:
    group = case("large_scores")
    _all_forwards(student, group)
    for each in group.cases:
        y = _first(_forward(student, each))
        for asked, got, expected in (
            (_forward_case(each), y, each.expected["y"]),
            (_backward_case(each), _backward(student, each), _gradients(each)),
        ):
            compare(asked, got, expected, group.public, [_overflow], tolerance=LARGE_SCORES_TOLERANCE)


def test_saved(student: Student, case: CasesOf) -> None:
    group = case("saved")
    for each in group.cases:
        asked = _forward_case(each)
        foreign = _foreign(_saved(student, each))
        if foreign is not None:
            due = _("lists, tuples and dicts of arrays")
            wrong(asked, group.public, Difference("[1]", describe(foreign), due))
        x, weights, n_heads = asked.inputs.values()
        held = reported_count(student.probe("saved_bytes", function=FORWARD, args=(x, weights, n_heads), apart=1))
        claim(
            held <= x.nbytes + SPARE_BYTES,
            asked,
            group.public,
            _("{times:.1f} times the bytes of x saved, without the weights").format(times=held / x.nbytes),
            _("no more bytes than those of x"),
            _("Keep what you cannot compute again, and nothing else; a view keeps all of its array alive."),
        )


def test_overhead(student: Student, case: CasesOf) -> None:
    group = case("overhead")
    agree(student, group, [follows(student.answer, group, _share_rules())])


def test_dtype(student: Student, case: CasesOf) -> None:
    group = case("dtype")
    for each in group.cases:
        of_dtype_of_inputs(each, group.public, (_first(_forward(student, each)), _backward(student, each)))


def test_inputs(student: Student, case: CasesOf) -> None:
    group = case("inputs")
    for each in group.cases:
        _saved(student, each)
        args = dict(_forward_case(each).inputs)
        changed = student.probe(
            "pair_mutated",
            forward=FORWARD,
            backward=BACKWARD,
            args=args,
            grad_output=each.inputs["grad_output"],
            saved_name="saved",
        )
        nothing_changed(each, group.public, reported_names(changed, (*args, "grad_output", "saved")))


# What is asked


def _forward_case(case: Case) -> Case:
    return Case(FORWARD, {name: case.inputs[name] for name in ("x", "weights", "n_heads")}, case.expected["y"])


def _backward_case(case: Case) -> Case:
    names = ("grad_output", "weights", "n_heads")
    return Case(BACKWARD, {name: case.inputs[name] for name in names}, _gradients(case))


def _gradients(case: Case) -> tuple[np.ndarray, Any]:
    return case.expected["grad_x"], case.expected["grads"]


def _first(answer: Any) -> Any:
    return answer[0] if isinstance(answer, list | tuple) and len(answer) == 2 else answer


def _forward(student: Student, case: Case) -> Any:
    asked = _forward_case(case)
    return student.once(("forward", id(case)), lambda: student.call(FORWARD, *asked.inputs.values()))


def _all_forwards(student: Student, group: CaseGroup) -> None:
    """Run every forward before the first backward, which then has what was saved to go by and nothing else."""
    for each in group.cases:
        _forward(student, each)


def _saved(student: Student, case: Case) -> Any:
    answer = _forward(student, case)
    if not (isinstance(answer, list | tuple) and len(answer) == 2):
        wrong(_forward_case(case), False, Difference("", describe(answer), _("a tuple (y, saved)")))
    return answer[1]


def _backward(student: Student, case: Case) -> Any:
    saved_values = _saved(student, case)
    grad_output, weights, n_heads = _backward_case(case).inputs.values()
    return student.once(
        ("backward", id(case)), lambda: student.call(BACKWARD, grad_output, saved_values, weights, n_heads)
    )


def _slope(student: Student, case: Case, index: int, public: bool) -> float:
    """Return how fast the sum of y * grad_output grows when one of x, wq, wk, wv, wo moves in its direction."""
    direction = case.inputs["directions"][index]
    values = []
    for step in (STEP, -STEP):
        moved = [case.inputs["x"], *case.inputs["weights"]]
        moved[index] = moved[index] + step * direction
        y = _first(student.call(FORWARD, moved[0], tuple(moved[1:]), case.inputs["n_heads"]))
        if not (isinstance(y, np.ndarray) and y.shape == moved[0].shape and y.dtype.kind == "f"):
            compare(_forward_case(case), y, case.expected["y"], public)
        with np.errstate(all="ignore"):
            values.append(float((y * case.inputs["grad_output"]).sum()))
    return (values[0] - values[1]) / (2 * STEP)


def _flat(answer: Any) -> list[np.ndarray]:
    """Return the gradients of x and the weights as one list; empty when the answer has another form."""
    if not (isinstance(answer, list | tuple) and len(answer) == 2 and isinstance(answer[1], list | tuple)):
        return []
    arrays = [answer[0], *answer[1]]
    return arrays if all(isinstance(array, np.ndarray) for array in arrays) else []


def _foreign(value: Any) -> Opaque | None:
    """Return the first part of a nest that is not a plain value."""
    if isinstance(value, Opaque):
        return value
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    return next((found for part in parts if (found := _foreign(part)) is not None), None)


# Attention in float64, and what becomes of it with the usual mistakes


def _heads(x: np.ndarray, n_heads: int) -> np.ndarray:
    batch, seq, h = x.shape
    return x.reshape(batch, seq, n_heads, h // n_heads).swapaxes(1, 2)


def _merged(x: np.ndarray) -> np.ndarray:
    batch, n_heads, seq, size = x.shape
    return x.swapaxes(1, 2).reshape(batch, seq, n_heads * size)


def _attention(
    case: Case, scale: float | None = None, axis: int = -1, causal: bool = False, heads: int | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Return context and output of attention as it would be with other choices."""
    x, (wq, wk, wv, wo) = case.inputs["x"], case.inputs["weights"]
    n_heads = heads or case.inputs["n_heads"]
    q, k, v = (_heads(x.astype(np.float64) @ w, n_heads) for w in (wq, wk, wv))
    scores = q @ k.swapaxes(-1, -2) * (1 / math.sqrt(q.shape[-1]) if scale is None else scale)
    if causal:
        scores = np.where(np.tri(scores.shape[-1], dtype=bool), scores, -np.inf)
    probs = np.exp(scores - scores.max(axis=axis, keepdims=True))
    probs = probs / probs.sum(axis=axis, keepdims=True)
    context = _merged(probs @ v)
    return context, context @ wo


def _looks_like(got: Any, other: np.ndarray) -> bool:
    dtype = got.dtype if isinstance(got, np.ndarray) else np.dtype(np.float64)
    return same(got, other.astype(dtype))


def _without_projection(got: Any, case: Case) -> str | None:
    if _looks_like(got, _attention(case)[0]):
        return _("The output projection wo is missing.")
    return None


def _other_scale(got: Any, case: Case) -> str | None:
    h, n_heads = case.inputs["x"].shape[-1], case.inputs["n_heads"]
    if n_heads in (1, h):
        return None
    for scale, cause in (
        (1.0, _("The scores are not divided by the square root of h / heads.")),
        (1 / math.sqrt(h), _("The scores are divided by the square root of h; the size of one head is h / heads.")),
        (n_heads / h, _("The scores are divided by h / heads itself, not by its square root.")),
    ):
        if _looks_like(got, _attention(case, scale=scale)[1]):
            return cause
    return None


def _other_axis(got: Any, case: Case) -> str | None:
    if case.inputs["x"].shape[1] > 1 and _looks_like(got, _attention(case, axis=-2)[1]):
        return _("The softmax runs over the queries; it runs over the keys, the last axis of the scores.")
    return None


def _masked(got: Any, case: Case) -> str | None:
    if case.inputs["x"].shape[1] > 1 and _looks_like(got, _attention(case, causal=True)[1]):
        return _("Later tokens are masked; here every token sees every other one.")
    return None


def _one_head(got: Any, case: Case) -> str | None:
    if case.inputs["n_heads"] > 1 and _looks_like(got, _attention(case, heads=1)[1]):
        return _("n_heads is ignored: this is attention with a single head.")
    return None


def _tuple_expected(got: Any, case: Case) -> str | None:
    if isinstance(got, dict) or (isinstance(got, list | tuple) and len(got) != 2):
        return _("Return a tuple of two: y, and one nest of everything that is saved.")
    return None


_FORWARD_CAUSES = (_without_projection, _other_scale, _other_axis, _masked, _one_head, _tuple_expected)


def _only_x(got: Any, case: Case) -> str | None:
    if same(got, case.expected[0]):
        return _("The gradients of the four weights are missing.")
    if len(got) == 5:
        return _("Return a tuple of two: grad_x, and a tuple of the four gradients of the weights.")
    return None


def _transposed(got: Any, case: Case) -> str | None:
    for mine, right in zip(got[1], case.expected[1], strict=True):
        if not same(mine, right) and same(mine, right.T):
            return _("A weight gradient is transposed: gw has the shape of w, and rows that belong to x.")
    return None


def _permuted(got: Any, case: Case) -> str | None:
    right = case.expected[1]
    if not same(got[1], right) and all(any(same(mine, each) for each in right) for mine in got[1]):
        return _("The gradients of the weights come in the order (gwq, gwk, gwv, gwo).")
    return None


def _scale_missing(got: Any, case: Case) -> str | None:
    root = math.sqrt(case.inputs["weights"][0].shape[0] // case.inputs["n_heads"])
    if root == 1 or not same(got[1][2:], case.expected[1][2:]):
        return None
    for factor in (root, 1 / root, root * root):
        if same(got[1][0] / factor, case.expected[1][0]) and same(got[1][1] / factor, case.expected[1][1]):
            return _(
                "The gradients of wq and wk are off by a factor: the scale of the scores counts in the backward too."
            )
    return None


def _without_correction(got: Any, case: Case) -> str | None:
    grads, right = got[1], case.expected[1]
    if same(grads[2:], right[2:]) and not same(grads[0], right[0]):
        return _("Values and projection are right, queries and keys are not: look at the derivative of the softmax.")
    return None


def _of_another_call(got: Any, case: Case) -> str | None:
    if isinstance(got, list | tuple) and isinstance(got[0], np.ndarray) and got[0].shape != case.expected[0].shape:
        return _("These gradients belong to another call: take everything from saved, nothing from a global variable.")
    return None


def _incomplete_x(got: Any, case: Case) -> str | None:
    if same(got[1], case.expected[1]) and not same(got[0], case.expected[0]):
        return _("The gradients of the weights are right: grad_x is the sum of what comes back through q, k and v.")
    return None


_BACKWARD_CAUSES = (
    _only_x,
    _permuted,
    _transposed,
    _scale_missing,
    _without_correction,
    _of_another_call,
    _incomplete_x,
)


def _overflow(got: Any, case: Case) -> str | None:
    del case
    arrays = [got] if isinstance(got, np.ndarray) else _flat(got)
    if any(not np.isfinite(array).all() for array in arrays):
        return _("exp overflows above 709: subtract the largest score of each row first, which changes no probability.")
    return None


@dataclass(frozen=True)
class _Flops:
    """FLOPs of one layer's forward for one sequence."""

    core: float
    projections: float
    layer: float
    again: float

    @classmethod
    def of(cls, hidden: int, seq: int, scope: str) -> _Flops:
        core, projections, mlp = 4.0 * seq**2 * hidden, 8.0 * seq * hidden**2, 16.0 * seq * hidden**2
        layer = core + projections + mlp
        return cls(core, projections, layer, {"core": core, "module": core + projections, "layer": layer}[scope])


def _share_rules() -> list[tuple[Rule, str]]:
    def rule(formula: Callable[[_Flops], float]) -> Rule:
        return lambda case: formula(_Flops.of(**case.inputs))

    def of_scope(scope: str, formula: Callable[[_Flops], float]) -> Rule:
        return lambda case: formula(_Flops.of(**case.inputs)) if case.inputs["scope"] == scope else case.expected

    fixed = _("The core is 0.15 of a layer only where seq equals hidden.")
    return [
        (
            rule(lambda f: f.again / f.layer),
            _("This is a share of the forward; the step is forward and backward, three forwards."),
        ),
        (
            rule(lambda f: f.again / (2 * f.layer)),
            _("This is a share of the backward; the step is forward and backward."),
        ),
        (rule(lambda f: 100 * f.again / (3 * f.layer)), _("This is a percentage; return a fraction.")),
        (
            rule(lambda f: f.again / (3 * f.layer + f.again)),
            _("This is the share of the new step; divide by the step without recomputation."),
        ),
        (
            rule(lambda f: 1 + f.again / (3 * f.layer)),
            _("This is the ratio of the two steps; subtract 1 to get the overhead."),
        ),
        (rule(lambda f: f.again), _("These are the FLOPs themselves; divide them by those of the step.")),
        (
            of_scope("module", lambda f: f.projections / (3 * f.layer)),
            _('"module" is the core and the four projections together.'),
        ),
        (of_scope("core", lambda f: 0.15 / 3), fixed),
        (of_scope("core", lambda f: 1 / 21), fixed),
        (
            rule(lambda f: (f.again if f.again < f.layer else f.layer - f.core) / (3 * (f.layer - f.core))),
            _("A layer's forward contains the core as well: 24 b s h^2 + 4 b s^2 h."),
        ),
        (
            rule(lambda f: f.again / (3 * (f.layer - f.core))),
            _("A layer's forward contains the core as well: 24 b s h^2 + 4 b s^2 h."),
        ),
    ]
