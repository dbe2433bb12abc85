"""Exercise 2: an honest memory model, and its minimum."""

import math
from typing import Any

from grader.cases.case import Case
from grader.checks.verdict import CasesOf, RunChecks, agree, matching, same
from grader.messages import _
from grader.student import Student


def test_exercise2(run: RunChecks) -> None:
    run(memory, store_all, overhead, sweep, front, equal_points, best)


def memory(student: Student, case: CasesOf) -> None:
    agree(student, case("memory"), [_other_count])


def store_all(student: Student, case: CasesOf) -> None:
    agree(student, case("store_all"), [_longer_than_the_model, _other_count])


def overhead(student: Student, case: CasesOf) -> None:
    agree(student, case("overhead"), [_other_work])


def sweep(student: Student, case: CasesOf) -> None:
    agree(student, case("sweep"), [_other_range, _other_form, _wrong_column])


def front(student: Student, case: CasesOf) -> None:
    agree(student, case("front"), [_other_order, _everything, _dominated_stay, _too_few, _without_k])


def equal_points(student: Student, case: CasesOf) -> None:
    agree(student, case("equal_points"), [_equal_ones_stay, _another_of_equal, _equal_ones_vanish, _other_order])


def best(student: Student, case: CasesOf) -> None:
    agree(student, case("best"), [_textbook, _smallest, _memory_instead])


def _count(n_layers: int, size: int) -> tuple[int, int]:
    """Return the number of segments, and the layers of a full one."""
    return math.ceil(n_layers / size), min(size, n_layers)


def _other_count(got: Any, case: Case) -> str | None:
    """Name what was counted otherwise, from the number itself."""
    n_layers, size = case.inputs["n_layers"], case.inputs["segment_size"]
    units = case.inputs.get("layer_units", 17)
    segments, length = _count(n_layers, size)
    last = n_layers - (segments - 1) * length
    twice = _("The input of the segment that is being differentiated is counted twice: its first layer holds it.")
    one_unit = _("A layer that is being differentiated holds layer_units, not one unit.")
    return matching(
        got, case.expected,
        (
            (segments + length * units, twice),
            (segments - 1 + length, one_unit),
            (segments + length, one_unit),
            (segments - 1 + length * (units + 1), _("layer_units contains the layer's own input already.")),
            (length * units, _("Only one segment is counted; the inputs of all other segments are missing.")),
            (segments * units + length, _("layer_units belong to the layers of the segment, not to the saved inputs.")),
            (n_layers * units, _("This keeps every layer; with segments only those of one hold layer_units.")),
            (
                (segments - 1 + length) * units,
                _("Of every other segment only the input is alive, which is one unit."),
            ),
            (
                n_layers // size - 1 + length * units,
                _("When k does not divide L there is one more, shorter segment: round up."),
            ),
            (n_layers / size - 1 + length * units, _("The number of segments is a whole number: round it up.")),
            (
                segments - 1 + last * units,
                _("This is the peak in the last, shorter segment; a full one needs more."),
            ),
            (
                segments - 1 + length * 17,
                _("layer_units is ignored: 17 is used whatever it is."),
            ),
            (
                segments - 1 + length * 12,
                _("layer_units is 17 when it is not given, and 12 only where 12 is asked for."),
            ),
        ),
    )  # fmt: skip


def _longer_than_the_model(got: Any, case: Case) -> str | None:
    n_layers, size = case.inputs["n_layers"], case.inputs["segment_size"]
    whole = size * case.inputs["layer_units"]
    if size > n_layers and any(math.isclose(got, whole + extra) for extra in (-1, 0)):
        return _("A segment longer than the model has only the model's layers: min(k, L).")
    return None


def _other_work(got: Any, case: Case) -> str | None:
    n_layers, size = case.inputs["n_layers"], case.inputs["segment_size"]
    segments, length = _count(n_layers, size)
    step = 3 * n_layers
    right = case.expected
    shorter = _("The last segment, which is not recomputed, is shorter when k does not divide L.")
    return matching(
        got, right,
        (
            (1 / 3, _("Every layer is recomputed here; the last segment need not be.")),
            ((n_layers - size) / step, shorter),
            ((n_layers - length) / step, shorter),
            (3 * right, _("This compares with the forward alone; a whole step is worth three forwards.")),
            (1.5 * right, _("This compares with the backward alone; a whole step is worth three forwards.")),
            (100 * right, _("This is a percentage; return a fraction.")),
            (1 + right, _("This is the ratio of the two steps; subtract 1 to get the overhead.")),
            (step * right, _("These are layers; divide them by those of a step, 3 * L.")),
            ((segments - 1) / step, _("These are segments; every one but the last has k layers to recompute.")),
            ((segments - 1) / (3 * segments), _("These are segments; the last one may be shorter than the others.")),
            (right / (1 + right), _("This is the share of the new step; divide by the step without recomputation.")),
            ((n_layers - segments) / step, _("A saved input spares no layer: all of a segment run once more.")),
            ((n_layers // size - 1) * size / step, _("When k does not divide L there is one more segment.")),
        ),
    )  # fmt: skip


def _other_range(got: Any, case: Case) -> str | None:
    ks = [point[0] for point in got]
    n_layers = case.inputs["n_layers"]
    if ks != list(range(1, n_layers + 1)):
        if len(ks) < n_layers and set(ks) < set(range(1, n_layers + 1)):
            return _("Some k are missing: list all of 1, 2, ... up to L, whether they divide L or not.")
        if ks == list(range(n_layers)) or ks == list(range(n_layers + 1)):
            return _("The first segment size is 1.")
    return None


def _other_form(got: Any, case: Case) -> str | None:
    if isinstance(got, dict):
        return _("A list of tuples (k, memory, overhead) is due, not a dict.")
    if got and same([[k, memory, overhead] for k, overhead, memory in got], case.expected):
        return _("The order inside a tuple is (k, memory, overhead).")
    if len(got) == 3 and same([list(point) for point in zip(*got, strict=True)], case.expected):
        return _("These are three lists; one list of tuples (k, memory, overhead) is due.")
    return None


def _wrong_column(got: Any, case: Case) -> str | None:
    for column, name in ((1, "segment_memory"), (2, "segment_overhead")):
        if not same([point[column] for point in got], [point[column] for point in case.expected]):
            usual = [float(_memory(case, point[0], 17)) for point in case.expected]
            if column == 1 and same([point[1] for point in got], usual):
                return _("layer_units is not passed on to segment_memory.")
            return _("This is not what {function} should return for each k.").format(function=name)
    return None


def _points(value: Any) -> list[tuple[float, ...]]:
    return [tuple(point) for point in value]


def _other_order(got: Any, case: Case) -> str | None:
    if len(got) > 1 and same(sorted(_points(got), key=lambda point: point[1]), case.expected):
        return _("These are the right points in another order; they are due by rising memory.")
    return None


def _everything(got: Any, case: Case) -> str | None:
    if len(got) == len(case.inputs["points"]) > len(case.expected):
        return _("Nothing is left out: points that another one dominates do not belong to the front.")
    return None


def _dominated_stay(got: Any, case: Case) -> str | None:
    front = {tuple(point) for point in case.expected}
    if front < set(_points(got)):
        return _(
            "Some points are dominated: another one needs no more memory and no more overhead, and less of one of them."
        )
    return None


def _too_few(got: Any, case: Case) -> str | None:
    if set(_points(got)) < {tuple(point) for point in case.expected}:
        return _(
            "Some points are missing: a point leaves only if another is at least as good in both and better in one."
        )
    return None


def _without_k(got: Any, case: Case) -> str | None:
    if any(len(point) == 2 for point in got):
        return _("The points come back as they are, with their k.")
    return None


def _equal_ones_stay(got: Any, case: Case) -> str | None:
    if len(got) > len(case.expected) and {point[1:] for point in _points(got)} == _pairs(case):
        return _("Of points that are equal in memory and overhead only the first stays.")
    return None


def _another_of_equal(got: Any, case: Case) -> str | None:
    if len(got) == len(case.expected) and {point[1:] for point in _points(got)} == _pairs(case):
        return _("Of points that are equal in memory and overhead the first in the list stays, whatever its k.")
    return None


def _equal_ones_vanish(got: Any, case: Case) -> str | None:
    if {point[1:] for point in _points(got)} < _pairs(case):
        return _("Points that are equal do not dominate each other: one of them has to stay.")
    return None


def _pairs(case: Case) -> set[tuple[float, ...]]:
    return {tuple(point[1:]) for point in case.expected}


def _textbook(got: Any, case: Case) -> str | None:
    n_layers = case.inputs["n_layers"]
    units = case.inputs.get("layer_units", 17)
    if got == max(1, round(math.sqrt(n_layers))):
        return _("This is the textbook's square root of L, which takes a rebuilt layer for one unit.")
    if got == max(1, round(math.sqrt(n_layers / units))):
        return _("The square root of L / layer_units is near the best whole number, but not always it: compare them.")
    return None


def _smallest(got: Any, case: Case) -> str | None:
    if got < case.expected and _memory(case, got) == _memory(case, case.expected):
        return _("Another segment size needs just as little memory: of equals take the largest.")
    return None


def _memory_instead(got: Any, case: Case) -> str | None:
    if isinstance(got, list | tuple):
        return _("This is the whole point; its k alone is due.") if got[0] == case.expected else None
    if got == _memory(case, case.expected):
        return _("This is the least memory; the segment size that needs it is due.")
    return None


def _memory(case: Case, k: int, units: float | None = None) -> float:
    segments, length = _count(case.inputs["n_layers"], k)
    return segments - 1 + length * (case.inputs.get("layer_units", 17) if units is None else units)
