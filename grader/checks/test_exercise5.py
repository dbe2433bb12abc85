"""Exercise 5: the same in PyTorch."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from grader.cases.case import Case
from grader.checks.verdict import CasesOf, RunChecks, Wrong, called, claim, wrong
from grader.comparing import difference
from grader.messages import _
from grader.student import Student, reported_count, reported_fields, reported_list

FUNCTION = "run_blocks"
# Relative to the largest value; a recomputation may add up in another order.
TOLERANCE = 1e-9
# What is kept beside what has to be, such as states of random generators, in inputs of a block.
SPARE_INPUTS = 0.75
# Work beside what has to be done again, as a share of it.
SPARE_WORK = 0.05


def test_exercise5(run: RunChecks) -> None:
    run(gradients, frozen, work, kept, offload)


def gradients(student: Student, case: CasesOf) -> None:
    _as_in_the_plain_loop(student, case, "gradients")


def frozen(student: Student, case: CasesOf) -> None:
    _as_in_the_plain_loop(student, case, "frozen")


def work(student: Student, case: CasesOf) -> None:
    for each in case("work").cases:
        plain = reported_count(_plain(student, each)["work"])
        forward = plain / 3  # the backward multiplies everything twice
        extra = reported_count(_run(student, each)["work"]) - plain
        again = {"full": forward, "selective": _core_work(each)}.get(_mode(each), 0.0)
        claim(
            extra <= again + SPARE_WORK * forward, _shown(each), True,
            _("{extra:.2f} forwards done again").format(extra=extra / forward),
            _("no more than {again:.2f}").format(again=again / forward),
            _cause_of_work(each),
        )  # fmt: skip


def kept(student: Student, case: CasesOf) -> None:
    for each in case("kept").cases:
        one = each.inputs["x"].nbytes
        # x itself is not counted, and neither is the output.
        due = float(math.ceil(each.inputs["layers"] / each.inputs["segment_size"]) - 1)
        if _mode(each) == "selective":
            due = (reported_count(_plain(student, each)["kept"]) - _core_bytes(each)) / one
        found = reported_count(_run(student, each)["kept"]) / one
        claim(
            found <= due + SPARE_INPUTS, _shown(each), True,
            _("memory of {found:.1f} inputs of a block kept, besides x and the output").format(found=found),
            _("no more than {due:.1f}").format(due=due), _cause_of_kept(each, found),
        )  # fmt: skip


def offload(student: Student, case: CasesOf) -> None:
    for each in case("offload").cases:
        report = _offloaded(student, each)
        _compare(each, report, _plain(student, each), case("offload").public)
        found = reported_count(report["kept"]) / each.inputs["x"].nbytes
        claim(
            found <= SPARE_INPUTS, _shown(each), True,
            _("memory of {found:.1f} inputs of a block still on the device after the forward").format(found=found),
            _("nothing there: what is saved for the backward lies on the host"),
            _("Let every block run inside save_on_cpu; whatever a hook packs has to be a copy on the host."),
        )  # fmt: skip


# What is asked


def _run(student: Student, case: Case) -> Mapping[str, Any]:
    _available(student)
    report = student.once(
        ("run", id(case)), lambda: student.probe("torch_probes.run_of_blocks", function=FUNCTION, **case.inputs)
    )
    return reported_fields(report, _FIELDS)


def _offloaded(student: Student, case: Case) -> Mapping[str, Any]:
    _available(student)
    report = student.once(
        ("offloaded", id(case)),
        lambda: student.probe("torch_probes.offloaded_run_of_blocks", function=FUNCTION, **case.inputs),
    )
    return reported_fields(report, _FIELDS)


def _available(student: Student) -> None:
    """Find out that there is an answer before anything of PyTorch is asked for."""
    student.once("available", lambda: student.probe("available", function=FUNCTION))


def _plain(student: Student, case: Case) -> Mapping[str, Any]:
    inputs = {name: value for name, value in case.inputs.items() if name not in ("mode", "segment_size")}
    report = student.once(
        ("plain", id(case)), lambda: student.probe_without_student("torch_probes.plain_run_of_blocks", **inputs)
    )
    return reported_fields(report, _FIELDS)


_FIELDS = ("output", "grad_x", "gradients", "kept", "work")


def _mode(case: Case) -> str:
    return str(case.inputs["mode"])


def _shown(case: Case) -> Case:
    """Return the call as it reads in a feedback; nothing in it is secret."""
    inputs = {"blocks": case.inputs["layers"], "x": case.inputs["x"], "mode": _mode(case)}
    if _mode(case) == "full":
        inputs["segment_size"] = case.inputs["segment_size"]
    return Case(FUNCTION, inputs)


# Output and gradients


def _as_in_the_plain_loop(student: Student, case: CasesOf, check: str) -> None:
    group = case(check)
    for each in group.cases:
        _compare(each, _run(student, each), _plain(student, each), group.public)
    # The plain loop for every mode has the right gradients too, and is no answer.
    full = next(each for each in group.cases if _mode(each) == "full")
    extra = reported_count(_run(student, full)["work"]) - reported_count(_plain(student, full)["work"])
    claim(
        extra > 0, _shown(full), True, _("no block that ran a second time"), _("every block run again"),
        _("In mode full, let torch.utils.checkpoint run the blocks."),
    )  # fmt: skip


def _compare(case: Case, report: Mapping[str, Any], plain: Mapping[str, Any], public: bool) -> None:
    _equal(case, "", report["output"], plain["output"], public)
    got, due = _gradients(report), _gradients(plain)
    missing = [name for name in due if name not in got]
    claim(
        not missing, _shown(case), True,
        _("no gradient of {name}").format(name=missing[0]) if missing else "",
        _("a gradient of every parameter that is trained, and of x if it needs one"),
        _cause_of_missing(case, len(missing) == len(due)),
    )  # fmt: skip
    # Some gradients are 0 but for rounding (no softmax depends on the bias of the keys): all are held to one measure.
    largest = max(float(np.abs(gradient).max()) for gradient in due.values())
    for name, gradient in due.items():
        tolerance = TOLERANCE * largest / max(float(np.abs(gradient).max()), np.finfo(float).tiny)
        _equal(case, _("gradient of {name}").format(name=name), got[name], gradient, public, tolerance)


def _equal(case: Case, name: str, got: Any, due: Any, public: bool, tolerance: float = TOLERANCE) -> None:
    """Raise `Wrong` for the first difference; the call is shown even where values are not."""
    found = difference(got, due, tolerance)
    if found is None:
        return
    cause = ""
    if name and case.inputs["dropout"]:
        cause = _(
            "Output and gradient do not belong together: dropout drew other numbers in the second forward. "
            "checkpoint sees to that unless it is told preserve_rng_state=False."
        )
    elif not name and difference(got, case.inputs["x"]) is None:
        cause = _("The output is x itself: no block was run.")
    try:
        wrong(_shown(case), public, replace(found, where=name), cause)
    except Wrong as told:
        raise Wrong(replace(told.feedback, called=called(_shown(case), True))) from None


def _gradients(report: Mapping[str, Any]) -> dict[str, Any]:
    """Return the gradients that there are by what they belong to."""
    found = {"x": report["grad_x"]}
    for number, block in enumerate(reported_list(report["gradients"])):
        for name, gradient in reported_fields(block, ()).items():
            found[_("{name} of block {number}").format(name=name, number=number)] = gradient
    return {name: gradient for name, gradient in found.items() if gradient is not None}


def _cause_of_missing(case: Case, everything: bool) -> str:
    if case.inputs["frozen"] and _mode(case) != "none":
        return _(
            "With use_reentrant=True nothing inside a checkpoint is trained when its input needs no gradient; pass "
            "use_reentrant=False."
        )
    if everything:
        return _("The output does not lead back to the blocks: look for no_grad, detach or .data.")
    return _("A part of the blocks is cut off: look for no_grad, detach or .data.")


# Work and memory


def _core_work(case: Case) -> float:
    """Return the floating-point operations of all attention cores: 4·b·s²·h each."""
    batch, seq, hidden = case.inputs["x"].shape
    return float(4 * batch * seq**2 * hidden * case.inputs["layers"])


def _core_bytes(case: Case) -> float:
    """Return what all attention cores keep: softmax output, dropout mask and what dropout returned, a·s²·b each."""
    batch, seq, _hidden = case.inputs["x"].shape
    values: int = batch * case.inputs["heads"] * seq**2 * case.inputs["layers"]
    return float(values * (2 * int(case.inputs["x"].itemsize) + 1))


def _cause_of_work(case: Case) -> str:
    mode = _mode(case)
    if mode == "none":
        return _("In mode none nothing is recomputed.")
    if mode == "offload":
        return _("In mode offload nothing is recomputed: what was saved moves.")
    if mode == "selective":
        return _("More than the attention core is run again: wrap block.core alone.")
    return _("Blocks are run again and again: is a checkpoint inside another one?")


def _cause_of_kept(case: Case, found: float) -> str:
    if _mode(case) == "selective":
        return _("What the attention core keeps is the larger part: wrap block.core in a checkpoint.")
    if found > case.inputs["layers"]:
        return _("More is kept than the inputs of all blocks: something holds on to the rest.")
    if case.inputs["segment_size"] > 1:
        return _("As much is kept as with shorter segments: hand segment_size blocks at a time to checkpoint.")
    return ""
