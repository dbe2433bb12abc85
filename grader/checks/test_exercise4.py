"""Exercise 4: offload to the host."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from grader.cases.case import Case
from grader.checks import gradients as gradient_causes
from grader.checks.claims import (
    CaseGroup,
    CasesOf,
    Cause,
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
from grader.checks.comparing import Difference, describe, difference, is_number
from grader.messages import _, ngettext
from grader.student.handle import Student, reported_count, reported_fields, reported_list, reported_names, tampered

FORWARD, BACKWARD = "forward_offloaded", "backward_offloaded"
# What lies in the buffer already, and what another part of the program puts there between forward and backward.
BEFORE = (None, np.array([1.0, 2.0, 3.0]))
LATER = np.array([4.0, 5.0])


def test_gradients(student: Student, case: CasesOf) -> None:
    group = case("gradients")
    for each in group.cases:
        compare(_forward_case(each), _forward(student, each)[0], each.expected["output"], group.public)
        asked = _backward_case(each)
        trip = _round_trip(student, each)
        # x is overwritten after the forward, so an entry that is x itself has become NaN.
        copied = not any(map(_is_nan, reported_list(trip["entries"])))
        causes = _GRADIENT_CAUSES if copied else [lambda *_: _not_copied()]
        compare(asked, trip["gradients"], asked.expected, group.public, causes)


def test_buffer(student: Student, case: CasesOf) -> None:
    group = case("buffer")
    for each in group.cases:
        trip = _round_trip(student, each)
        handles = _checked_entries(each, trip, group.public)
        _checked_releases(each, trip, handles, group.public)


def test_bandwidth(student: Student, case: CasesOf) -> None:
    group = case("bandwidth")
    causes = [
        _other_clock(student),
        follows(lambda each: _timed(student, each)["value"], group, _bandwidth_rules()),
    ]
    for each in group.cases:
        report = _timed(student, each)
        transfers, due = reported_count(report["transfers"]), _repeats(each)
        claim(
            transfers == due,
            each,
            group.public,
            ngettext("{count} call of transfer", "{count} calls of transfer", transfers).format(count=transfers),
            ngettext("exactly {count} call", "exactly {count} calls", due).format(count=due),
            _("A call to warm up is one too many.") if transfers == due + 1 else "",
        )
        compare(each, report["value"], each.expected, group.public, causes)


def test_choice(student: Student, case: CasesOf) -> None:
    group = case("choice")
    breakeven = CaseGroup([each for each in group.cases if each.function == "breakeven_bandwidth"], group.public)
    agree(student, breakeven, [follows(student.answer, breakeven, _breakeven_rules())])
    agree(student, group, [_other_choice])


def test_dtype(student: Student, case: CasesOf) -> None:
    group = case("dtype")
    for each in group.cases:
        trip = _round_trip(student, each)
        of_dtype_of_inputs(each, group.public, (trip["output"], trip["gradients"]))


def test_inputs(student: Student, case: CasesOf) -> None:
    group = case("inputs")
    for each in group.cases:
        changed = reported_names(_round_trip(student, each)["changed"], ("x", "params", "grad_output"))
        nothing_changed(each, group.public, changed)


# What is asked


def _forward_case(case: Case) -> Case:
    return Case(FORWARD, {name: case.inputs[name] for name in ("x", "params", "k")}, case.expected["output"])


def _backward_case(case: Case) -> Case:
    inputs = {name: case.inputs[name] for name in ("grad_output", "params", "k")}
    return Case(BACKWARD, inputs, (case.expected["grad_x"], case.expected["grads"]))


def _forward(student: Student, case: Case) -> Any:
    """Ask the forward alone, whose mistakes are then told under its own name."""
    asked = _forward_case(case)
    answer = student.once(("forward", id(case)), lambda: student.call(FORWARD, *asked.inputs.values(), list(BEFORE)))
    if not (isinstance(answer, list | tuple) and len(answer) == 2):
        wrong(asked, False, Difference("", describe(answer), _("a tuple (output, handles)")))
    return answer


def _round_trip(student: Student, case: Case) -> dict[str, Any]:
    _forward(student, case)
    report = student.once(
        ("offloaded", id(case)),
        lambda: student.probe("offloaded", function=BACKWARD, before=list(BEFORE), later=LATER, **case.inputs),
    )
    names = ("output", "handles", "gradients", "entries", "left", "reads", "changed")
    return reported_fields(report, names)


_GRADIENT_CAUSES = gradient_causes.causes(lambda got: got[1], lambda case: case.expected[1])


# The host buffer


def _checked_entries(case: Case, trip: dict[str, Any], public: bool) -> list[int]:
    """Compare what the forward has put into the buffer; return the handles."""
    asked = _forward_case(case)
    right = case.expected["saved"]
    entries, handles = reported_list(trip["entries"]), trip["handles"]
    claim(
        _same_entries(entries[: len(BEFORE)], BEFORE),
        asked,
        public,
        _("other entries of host_buffer than before"),
        _("entries that were there before as they were"),
        _("Append to host_buffer, and take handles from its length: it need not be empty."),
    )
    appended = len(entries) - len(BEFORE)
    claim(
        appended in (len(right), len(right) + 1),
        asked,
        public,
        ngettext("{count} entry appended to host_buffer", "{count} entries appended to host_buffer", appended).format(
            count=appended
        ),
        _("{count}, one for each segment").format(count=len(right)),
        _("Every layer's input is stored: k is ignored.") if appended >= len(case.inputs["params"]) else "",
    )
    if isinstance(handles, np.ndarray) and handles.ndim == 1:
        handles = list(handles)
    if not isinstance(handles, list | tuple) or len(handles) != len(right) or not all(map(_is_whole, handles)):
        due = _("a list of {count} positions in host_buffer").format(count=len(right))
        wrong(asked, public, Difference("[1]", describe(trip["handles"]), due))
    positions = [int(handle) for handle in handles]
    outside = [position for position in positions if not len(BEFORE) <= position < len(entries)]
    claim(
        not outside,
        asked,
        public,
        _("a handle that is not the position of an appended entry"),
        _("the positions of the appended entries"),
        _("host_buffer may hold entries already: the handle is its length before you append."),
    )
    mine = [entries[position] for position in positions]
    found = difference(mine, right)
    if found is not None:
        wrong(asked, public, found, _entry_cause(mine, case))
    return positions


def _checked_releases(case: Case, trip: dict[str, Any], handles: list[int], public: bool) -> None:
    asked = _backward_case(case)
    left = reported_list(trip["left"])
    claim(
        len(left) == len(trip["entries"]) + 1,
        asked,
        public,
        _("a host_buffer of another length"),
        _("a host_buffer in which every entry keeps its position"),
        _("Put None in the place of an entry; pop and del shift those behind it, and their handles with them."),
    )
    remaining = sum(left[handle] is not None for handle in handles)
    claim(
        remaining == 0,
        asked,
        public,
        ngettext(
            "{count} entry still in host_buffer after the backward",
            "{count} entries still in host_buffer after the backward",
            remaining,
        ).format(count=remaining),
        _("None at every handle"),
        _("Put None in the place of an entry once it has been used."),
    )
    claim(
        _same_entries([*left[: len(BEFORE)], left[-1]], (*BEFORE, LATER)),
        asked,
        public,
        _("an entry changed that belongs to somebody else"),
        _("every other entry as it was"),
        _("Release the entries behind your handles, and no others."),
    )
    read: list[int] = []
    for position, occupied in map(_read, reported_list(trip["reads"])):
        if position in handles:
            claim(
                not any(other != position and other in occupied for other in read),
                asked,
                public,
                _("an entry read while an earlier one still lies in host_buffer"),
                _("every entry released before the next one is read"),
                _("Put None in the place of an entry as soon as its segment is done."),
            )
            read.append(position)


def _same_entries(entries: list[Any], right: tuple[Any, ...]) -> bool:
    return len(entries) == len(right) and all(
        entry is None if due is None else difference(entry, due) is None
        for entry, due in zip(entries, right, strict=True)
    )


def _is_whole(value: Any) -> bool:
    return is_number(value) and math.isfinite(value) and float(value) == int(value)


def _read(value: Any) -> tuple[int, list[int]]:
    """Return a position that was read, and the positions that were occupied at that time."""
    match value:
        case (int(position), list(occupied)) if all(isinstance(each, int) for each in occupied):
            return position, occupied
    raise tampered()


def _not_copied() -> str:
    return _("An entry of host_buffer changed together with x: append a copy, x.copy().")


def _is_nan(entry: Any) -> bool:
    return isinstance(entry, np.ndarray) and entry.dtype.kind == "f" and bool(np.isnan(entry).all())


def _entry_cause(mine: list[Any], case: Case) -> str:
    right = case.expected["saved"]
    if _is_nan(mine[0]):
        return _not_copied()
    if len(right) > 1 and same(mine[::-1], right):
        return _("The handles are in reverse order: handle j belongs to the segment that begins with layer j * k.")
    if same(mine, [*right, case.expected["output"]][1:]):
        return _("These are the outputs of the segments; store the input of each segment.")
    return ""


# Bandwidths


def _timed(student: Student, case: Case) -> dict[str, Any]:
    n_bytes, seconds, repeats = (case.inputs.get(name) for name in ("n_bytes", "seconds", "repeats"))

    def ask() -> Any:
        return student.probe(
            "timed_transfers", function=case.function, n_bytes=n_bytes, seconds=seconds, repeats=repeats
        )

    return reported_fields(student.once(("timed", id(case)), ask), ("value", "transfers", "readings"))


def _repeats(case: Case) -> int:
    return int(case.inputs.get("repeats", 5))


def _other_clock(student: Student) -> Cause:
    def cause(got: Any, case: Case) -> str | None:
        del got
        if reported_count(_timed(student, case)["readings"]) == 0:
            return _("The clock that was handed over is never read.")
        return None

    return cause


def _bandwidth_rules() -> list[tuple[Rule, str]]:
    def rule(formula: Callable[[float, list[float]], float]) -> Rule:
        return lambda case: formula(case.inputs["n_bytes"], case.inputs["seconds"][: _repeats(case)])

    return [
        (
            rule(lambda size, seconds: size * len(seconds) / sum(seconds)),
            _("This is the bandwidth of the mean time; take the fastest transfer."),
        ),
        (
            rule(lambda size, seconds: size / sum(seconds)),
            _("This divides by the time of all transfers; take the fastest one."),
        ),
        (rule(lambda size, seconds: size / max(seconds)), _("This is the slowest transfer; take the fastest.")),
        (
            rule(lambda size, seconds: size / sorted(seconds)[len(seconds) // 2]),
            _("This is the median; take the fastest transfer."),
        ),
        (
            rule(lambda size, seconds: sum(size / each for each in seconds) / len(seconds)),
            _("This is the mean of the bandwidths; take the fastest."),
        ),
        (rule(lambda size, seconds: size / seconds[0]), _("This is the first transfer; take the fastest.")),
        (rule(lambda size, seconds: size / seconds[-1]), _("This is the last transfer; take the fastest.")),
        (
            rule(lambda size, seconds: min(seconds)),
            _("This is the time of the fastest transfer; divide the bytes by it."),
        ),
        (
            rule(lambda size, seconds: min(seconds) / size),
            _("These are seconds per byte; bytes per second are due."),
        ),
        (rule(lambda size, seconds: 8 * size / min(seconds)), _("These are bits per second; bytes are due.")),
        (
            rule(lambda size, seconds: size / min(seconds) / 1e9),
            _("This is in GB per second; bytes per second are due."),
        ),
        (
            rule(lambda size, seconds: size / min(seconds) / 1e6),
            _("This is in MB per second; bytes per second are due."),
        ),
    ]


def _breakeven_rules() -> list[tuple[Rule, str]]:
    def rule(formula: Callable[[float, float, float], float]) -> Rule:
        return lambda case: formula(*case.inputs.values())

    return [
        (
            rule(lambda size, flops, speed: flops / (size * speed)),
            _("This is upside down: bytes divided by the time of recomputing them."),
        ),
        (rule(lambda size, flops, speed: 2 * size * speed / flops), _("The bytes move one way; this counts both.")),
        (
            rule(lambda size, flops, speed: flops / speed),
            _("This is the time of recomputing; divide the bytes by it."),
        ),
        (
            rule(lambda size, flops, speed: size * flops / speed),
            _("The bytes are divided by the time of recomputing, not multiplied."),
        ),
        (
            rule(lambda size, flops, speed: size / flops),
            _("flops_per_second is ignored: divide by the time of recomputing."),
        ),
        (rule(lambda size, flops, speed: 8 * size * speed / flops), _("These are bits per second; bytes are due.")),
        (
            rule(lambda size, flops, speed: size * speed / flops / 1e9),
            _("This is in GB per second; bytes per second are due."),
        ),
    ]


def _other_choice(got: Any, case: Case) -> str | None:
    if isinstance(got, bool):
        return _('Return one of the strings "offload" and "recompute".')
    if not isinstance(got, str) or got not in ("offload", "recompute"):
        return _('The two answers are "offload" and "recompute".')
    times = (
        case.inputs["n_bytes"] / case.inputs["bandwidth"],
        case.inputs["recompute_flops"] / case.inputs["flops_per_second"],
    )
    if math.isclose(*times, rel_tol=1e-12):
        return _("When both take the same time the answer is recompute.")
    return _("Whichever takes less time: n_bytes / bandwidth to move, recompute_flops / flops_per_second to compute.")
