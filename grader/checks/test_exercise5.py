"""Exercise 5: the same in PyTorch."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from grader.cases.case import Case
from grader.checks.claims import CaseGroup, CasesOf, Wrong, called, claim, wrong
from grader.checks.comparing import Difference, difference
from grader.messages import _
from grader.results import State
from grader.student.handle import Student, reported_count, reported_fields, reported_list, reported_names
from grader.student.outcomes import Outcome

FUNCTION = "run_blocks"
# Relative to the largest value; a recomputation may add up in another order.
TOLERANCE = 1e-9
# What may be kept besides what has to be, in inputs of a block, and the bytes of a random generator's state, of which
# there may be one for each segment.
SPARE_INPUTS = 0.75
STATE_BYTES = 5056
# What the rebuilding of a segment may need at the peak besides the segment, in blocks.
SPARE_BLOCKS = 0.5
# Work beside what has to be done again, as a share of it.
SPARE_WORK = 0.05


def test_gradients(student: Student, case: CasesOf) -> None:
    _as_in_the_plain_loop(student, case, "gradients")


def test_frozen(student: Student, case: CasesOf) -> None:
    _as_in_the_plain_loop(student, case, "frozen")


def test_work(student: Student, case: CasesOf) -> None:
    for each in case("work").cases:
        plain = reported_count(_plain(student, each)["work"])
        forward = plain / 3  # the backward multiplies everything twice
        extra = reported_count(_run(student, each)["work"]) - plain
        again = {"full": forward, "selective": _core_work(each)}.get(_mode(each), 0.0)
        done = _("{extra:.2f} forwards done again").format(extra=extra / forward)
        claim(
            extra <= again + SPARE_WORK * forward,
            _shown(each),
            True,
            done,
            _("no more than {again:.2f}").format(again=again / forward),
            _cause_of_work(each),
        )
        # A checkpoint may stop once the backward has all it needs: in a core before the second of its two products.
        least = 0.9 * again if _mode(each) == "full" else 0.45 * again
        claim(
            extra >= least,
            _shown(each),
            True,
            done,
            _("at least {least:.2f}").format(least=least / forward),
            _("Not everything that this mode forgets is computed again."),
        )


def test_kept(student: Student, case: CasesOf) -> None:
    for each in case("kept").cases:
        one, plain = each.inputs["x"].nbytes, _plain(student, each)
        everything, peak = (reported_count(plain[name]) / one for name in ("kept", "peak"))
        layers, size = int(each.inputs["layers"]), int(each.inputs["segment_size"])
        # x itself is not counted, and neither is the output.
        due = everything - _core_bytes(each) / one
        if _mode(each) == "full":
            due = float(math.ceil(layers / size) - 1)
        report = _run(student, each)
        found = reported_count(report["kept"]) / one
        states = math.ceil(layers / size) * STATE_BYTES / one
        claim(
            found <= due + states + SPARE_INPUTS,
            _shown(each),
            True,
            _("memory of {found:.1f} inputs of a block kept, besides x and the output").format(found=found),
            _("no more than {due:.1f}").format(due=due),
            _cause_of_kept(each, found),
        )
        if _mode(each) == "full" and size < layers:
            # What the other blocks would keep is spared even at the peak. By then gradients may have gathered.
            spared = (layers - size - SPARE_BLOCKS) * everything / layers
            gathered = sum(gradient.nbytes for gradient in _gradients(plain).values()) / one
            found, due = reported_count(report["peak"]) / one, peak - spared + due + gathered
            claim(
                found <= due,
                _shown(each),
                True,
                _("memory of {found:.1f} inputs of a block in use at the peak").format(found=found),
                _("no more than {due:.1f}").format(due=due),
                _("More than one segment of {size} is rebuilt at a time: is segment_size ignored?").format(size=size),
            )


def test_offload(student: Student, case: CasesOf) -> None:
    for each in case("offload").cases:
        report = _offloaded(student, each)
        _compare(student, each, report, case("offload"))
        found = reported_count(report["kept"]) / each.inputs["x"].nbytes
        claim(
            found <= SPARE_INPUTS,
            _shown(each),
            True,
            _("memory of {found:.1f} inputs of a block still on the device after the forward").format(found=found),
            _("nothing there: what is saved for the backward lies on the host"),
            _("Let every block run inside save_on_cpu; whatever a hook packs has to be a copy on the host."),
        )


# What is asked


def _run(student: Student, case: Case) -> Mapping[str, Any]:
    names = ("output", "grad_x", "gradients", "kept", "peak", "work", "changed")
    return reported_fields(_asked(student, case, "torch_probes.run_of_blocks"), names)


def _offloaded(student: Student, case: Case) -> Mapping[str, Any]:
    names = ("output", "grad_x", "gradients", "kept")
    return reported_fields(_asked(student, case, "torch_probes.offloaded_run_of_blocks"), names)


def _asked(student: Student, case: Case, probe: str) -> Any:
    # Find out that there is an answer before anything of PyTorch is asked for.
    student.once("available", lambda: student.probe("available", function=FUNCTION))
    try:
        return student.once((probe, id(case)), lambda: student.probe(probe, function=FUNCTION, **case.inputs))
    except Outcome as outcome:
        if outcome.state is State.NOT_ATTEMPTED:
            raise
        raise replace(outcome, function=called(_shown(case), True)) from None


def _plain(student: Student, case: Case) -> Mapping[str, Any]:
    inputs = {name: value for name, value in case.inputs.items() if name not in ("mode", "segment_size")}
    report = student.once(
        ("plain", id(case)), lambda: student.probe_without_student("torch_probes.plain_run_of_blocks", **inputs)
    )
    return reported_fields(report, ("output", "grad_x", "gradients", "kept", "peak", "work"))


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
        report = _run(student, each)
        _compare(student, each, report, group)
        changed = reported_names(report["changed"], ("blocks", "x"))
        claim(
            not changed,
            _shown(each),
            True,
            _("{names} changed by the call").format(names=", ".join(changed)),
            _("every argument as it was before"),
            _("Hand a wrapped core to the block, block(x, core=...), and leave the block itself as it is.")
            if "blocks" in changed
            else _("Work on a tensor of your own: x belongs to the caller."),
        )
    # The plain loop for every mode has the right gradients too, and is not an answer.
    full = next((each for each in group.cases if _mode(each) == "full"), None)
    if full is None:  # one case alone is asked again
        return
    plain = reported_count(_plain(student, full)["work"])
    extra = reported_count(_run(student, full)["work"]) - plain
    trained = 1 - full.inputs["frozen"] / full.inputs["layers"]
    claim(
        extra > 0.5 * trained * plain / 3,
        _shown(full),
        True,
        _("{extra:.2f} forwards done again").format(extra=3 * extra / plain),
        _("every block that is trained run again"),
        _(
            "In mode full, hand all blocks to torch.utils.checkpoint.checkpoint. (checkpoint_sequential leaves out its "
            "last segment.)"
        ),
    )


def _compare(student: Student, case: Case, report: Mapping[str, Any], group: CaseGroup) -> None:
    plain = _plain(student, case)
    found = difference(report["output"], plain["output"], TOLERANCE)
    if found is not None:
        _differs(case, "", found, group.public, _cause_of_output(student, case, report["output"], group))
    got, due = _gradients(report), _gradients(plain)
    missing = [name for name in due if name not in got]
    claim(
        not missing,
        _shown(case),
        True,
        _("no gradient of {name}").format(name=missing[0]) if missing else "",
        _("a gradient of every parameter that is trained, and of x if it needs one"),
        _cause_of_missing(case, len(missing) == len(due)),
    )
    # Some gradients are 0 but for rounding (no softmax depends on the bias of the keys): all are held to one measure.
    largest = max(float(np.abs(gradient).max()) for gradient in due.values())
    for name, gradient in due.items():
        tolerance = TOLERANCE * largest / max(float(np.abs(gradient).max()), np.finfo(float).tiny)
        found = difference(got[name], gradient, tolerance)
        if found is not None:
            cause = _other_forward() if _mode(case) in ("full", "selective") else ""
            _differs(case, _("gradient of {name}").format(name=name), found, group.public, cause)


def _differs(case: Case, name: str, found: Difference, public: bool, cause: str) -> None:
    """Raise `Wrong`; the call is shown even where values are not."""
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


def _other_forward() -> str:
    return _(
        "Output and gradient do not belong together: the second forward was another one. Either dropout drew other "
        "numbers (checkpoint sees to that unless it is told preserve_rng_state=False), or it read something that has "
        "changed meanwhile, such as the variable of a loop."
    )


def _cause_of_output(student: Student, case: Case, output: Any, group: CaseGroup) -> str:
    if difference(output, case.inputs["x"]) is None:
        return _("The output is x itself: no block was run.")
    if not isinstance(output, np.ndarray):
        return _("Nothing came back: is there a return at the end?") if output is None else ""
    shorter = [each for each in group.cases if _mode(each) == "full" and each.inputs["segment_size"] == 1]
    if _mode(case) == "full" and case.inputs["segment_size"] > 1 and shorter:
        first = _run(student, shorter[0])["output"]
        if difference(first, _plain(student, shorter[0])["output"], TOLERANCE) is None:
            return _("It is right with segments of one block. Are all blocks run? The last segment may be shorter.")
    return _(
        "Every block runs once, from the first to the last, in the mode and with the random numbers that it finds: no "
        "manual_seed, no eval."
    )


def _cause_of_missing(case: Case, everything: bool) -> str:
    if case.inputs["frozen"] and _mode(case) != "none":
        return _(
            "With use_reentrant=True, which is still the default, nothing inside a checkpoint is trained when its "
            "input needs no gradient: pass use_reentrant=False. Otherwise look for no_grad, detach or .data."
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
        return _("More is kept than the inputs of all blocks: not every block is inside a checkpoint.")
    if case.inputs["segment_size"] > 1:
        return _("As much is kept as with shorter segments: hand segment_size blocks at a time to checkpoint.")
    return ""
