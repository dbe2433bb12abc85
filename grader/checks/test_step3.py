"""Step 3: checkpoint every k layers."""

import math
from typing import Any

from grader.cases.case import Case
from grader.checks import gradients as gradient_causes
from grader.checks.claims import (
    CaseGroup,
    CasesOf,
    claim,
    compare,
    nothing_changed,
    of_dtype_of_inputs,
    same,
    wrong,
)
from grader.checks.comparing import Difference, describe
from grader.messages import _
from grader.student.handle import Student, reported_names, reported_number

# In units of one layer input and in matrix products per layer; see CONTRIBUTING.md for where they come from.
FORWARD_SLACK = 3
BACKWARD_SLACK = 12
MAX_PRODUCTS = 8.5


def test_output(student: Student, case: CasesOf) -> None:
    group = case("output")
    for each in group.cases:
        got = _forward(student, each)
        asked = _forward_case(each)
        compare(asked, _first(got), each.expected["output"], group.public)


def test_saved(student: Student, case: CasesOf) -> None:
    group = case("saved")
    for each in group.cases:
        got = _forward(student, each)
        asked = _forward_case(each)
        right = each.expected["saved"]
        mine = got[1] if isinstance(got, list | tuple) and len(got) == 2 else got
        divides = len(each.inputs["params"]) % each.inputs["k"] == 0
        if isinstance(mine, list | tuple) and divides and len(mine) == len(right) + 1:
            right = [*right, each.expected["output"]]
        compare(
            asked,
            mine,
            right,
            group.public,
            [_everything_saved, _outputs_saved, _last_segment_missing, _reverse_order],
        )


def test_gradients(student: Student, case: CasesOf) -> None:
    _same_gradients(student, case("gradients"))


def test_uneven(student: Student, case: CasesOf) -> None:
    _same_gradients(student, case("uneven"))


def test_edges(student: Student, case: CasesOf) -> None:
    _same_gradients(student, case("edges"))


def test_forward_memory(student: Student, case: CasesOf) -> None:
    group = case("forward_memory")
    for each in group.cases:
        measured = reported_number(student.probe("checkpointed_forward_memory", **each.inputs))
        n_layers, k = len(each.inputs["params"]), each.inputs["k"]
        limit = math.ceil(n_layers / k) + FORWARD_SLACK
        claim(
            measured <= limit,
            _forward_case(each),
            group.public,
            _("{measured:.1f} arrays the size of x alive after the forward").format(measured=measured),
            _("at most {limit}: one for each of the {segments} segments, and the output").format(
                limit=limit, segments=limit - FORWARD_SLACK
            ),
            _("Every activation is kept, in the saved list or somewhere else, whatever k is.")
            if measured >= n_layers - 1
            else "",
        )


def test_backward_memory(student: Student, case: CasesOf) -> None:
    group = case("backward_memory")
    for each in group.cases:
        measured = reported_number(student.probe("checkpointed_backward_memory", **each.inputs))
        n_layers, k = len(each.inputs["params"]), each.inputs["k"]
        limit = 2 * k + BACKWARD_SLACK
        claim(
            measured <= limit,
            each,
            group.public,
            _("{measured:.1f} arrays the size of x added at the peak of the backward").format(measured=measured),
            _("at most {limit}, for one segment of {k} layers").format(limit=limit, k=k),
            _("All segments are rebuilt before the first one is let go.") if measured >= n_layers / 2 else "",
        )


def test_recomputation(student: Student, case: CasesOf) -> None:
    group = case("recomputation")
    for each in group.cases:
        inputs = each.inputs
        products = reported_number(
            student.probe("checkpointed_products", x=inputs["x"], params=inputs["params"], k=inputs["k"])
        )
        claim(
            products <= MAX_PRODUCTS,
            each,
            group.public,
            _("{products:.1f} matrix products per layer in the backward").format(products=products),
            _("at most {limit}: 4 for the gradients and 3 to rebuild the layer").format(limit=MAX_PRODUCTS),
            _("Layers are rebuilt more than once: start each segment from its own saved input, and run it once."),
        )


def test_dtype(student: Student, case: CasesOf) -> None:
    group = case("dtype")
    for each in group.cases:
        of_dtype_of_inputs(each, group.public, (_forward(student, each), _backward(student, each)))


def test_inputs(student: Student, case: CasesOf) -> None:
    group = case("inputs")
    for each in group.cases:
        changed = student.probe(
            "pair_mutated",
            forward="model_forward_checkpointed",
            backward="model_backward_checkpointed",
            args={name: each.inputs[name] for name in ("x", "params", "k")},
            grad_output=each.inputs["grad_output"],
            saved_name="saved_inputs",
        )
        known = ("x", "params", "grad_output", "saved_inputs")
        nothing_changed(each, group.public, reported_names(changed, known))


def _forward_case(case: Case) -> Case:
    inputs = {name: case.inputs[name] for name in ("x", "params", "k")}
    return Case("model_forward_checkpointed", inputs, case.expected)


def _first(answer: Any) -> Any:
    return answer[0] if isinstance(answer, list | tuple) and len(answer) == 2 else answer


def _forward(student: Student, case: Case) -> Any:
    def ask() -> Any:
        return student.call("model_forward_checkpointed", *(case.inputs[name] for name in ("x", "params", "k")))

    return student.once(("forward", id(case)), ask)


def _backward(student: Student, case: Case) -> Any:
    def ask() -> Any:
        answer = _forward(student, case)
        if not (isinstance(answer, list | tuple) and len(answer) == 2):
            due = _("a tuple (output, saved_inputs)")
            wrong(_forward_case(case), False, Difference("", describe(answer), due))
        params, k = case.inputs["params"], case.inputs["k"]
        return student.call("model_backward_checkpointed", case.inputs["grad_output"], answer[1], params, k)

    return student.once(("backward", id(case)), ask)


def _same_gradients(student: Student, group: CaseGroup) -> None:
    for each in group.cases:
        asked = Case(
            "model_backward_checkpointed",
            {name: each.inputs[name] for name in ("grad_output", "params", "k")},
            (each.expected["grad_x"], each.expected["grads"]),
        )
        compare(asked, _backward(student, each), asked.expected, group.public, _GRADIENT_CAUSES)


_GRADIENT_CAUSES = gradient_causes.causes(lambda got: got[1], lambda case: case.expected[1])


def _everything_saved(mine: Any, case: Case) -> str | None:
    n_layers, k = len(case.inputs["params"]), case.inputs["k"]
    if k > 1 and len(mine) in (n_layers, n_layers + 1) and n_layers > 2:
        return _("Every layer's input is saved: k is ignored.")
    return None


def _outputs_saved(mine: Any, case: Case) -> str | None:
    right = [*case.expected["saved"], case.expected["output"]]
    if same(list(mine), right[1:]):
        return _("These are the outputs of the segments; save the input of each segment.")
    return None


def _last_segment_missing(mine: Any, case: Case) -> str | None:
    right = case.expected["saved"]
    if len(right) > 1 and same(list(mine), right[:-1]):
        return _("The input of the last segment is missing: it may be shorter than k layers.")
    return None


def _reverse_order(mine: Any, case: Case) -> str | None:
    right = case.expected["saved"]
    if len(right) > 1 and same(list(mine)[::-1], right):
        return _("The saved inputs are in reverse order: entry j belongs to the segment that begins with layer j * k.")
    return None
