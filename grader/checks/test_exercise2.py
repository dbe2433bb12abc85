"""Exercise 2: an honest memory model, and its minimum."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from grader.cases.case import Case
from grader.checks.claims import CasesOf, Rule, agree, follows, same
from grader.messages import _
from grader.student.handle import Student


def test_memory(student: Student, case: CasesOf) -> None:
    group = case("memory")
    agree(student, group, [follows(student.answer, group, _memory_rules())])


def test_store_all(student: Student, case: CasesOf) -> None:
    group = case("store_all")
    agree(student, group, [follows(student.answer, group, [*_long_segment_rules(), *_memory_rules()])])


def test_overhead(student: Student, case: CasesOf) -> None:
    group = case("overhead")
    agree(student, group, [follows(student.answer, group, _overhead_rules())])


def test_sweep(student: Student, case: CasesOf) -> None:
    agree(student, case("sweep"), [_other_form, _other_range, _wrong_column])


def test_front(student: Student, case: CasesOf) -> None:
    agree(student, case("front"), [_other_order, _everything, _dominated_stay, _too_few, _without_k])


def test_equal_points(student: Student, case: CasesOf) -> None:
    agree(student, case("equal_points"), [_equal_ones_stay, _another_of_equal, _equal_ones_vanish, _other_order])


def test_best(student: Student, case: CasesOf) -> None:
    group = case("best")
    agree(student, group, [_whole_point, follows(student.answer, group, _best_rules())])


# A model of L layers in segments of k, each layer of which holds `units` while it is being differentiated


@dataclass(frozen=True)
class _Segments:
    n_layers: int
    size: int
    units: float = 17

    @classmethod
    def of(cls, case: Case) -> _Segments:
        return cls(*case.inputs.values())

    @property
    def count(self) -> int:
        return math.ceil(self.n_layers / self.size)

    @property
    def length(self) -> int:
        return min(self.size, self.n_layers)

    @property
    def last(self) -> int:
        return self.n_layers - (self.count - 1) * self.size

    @property
    def memory(self) -> float:
        return self.count - 1 + self.length * self.units


def _rule(formula: Callable[[_Segments], float]) -> Rule:
    return lambda case: formula(_Segments.of(case))


def _memory_rules() -> list[tuple[Rule, str]]:
    one_unit = _("A layer that is being differentiated holds layer_units, not one unit.")
    rounded = _("When k does not divide L there is one more, shorter segment: round up.")
    return [
        (
            _rule(lambda s: s.memory + 1),
            _("The input of the segment that is being differentiated is counted twice: its first layer holds it."),
        ),
        (_rule(lambda s: s.memory + s.length), _("layer_units contains the layer's own input already.")),
        (_rule(lambda s: s.count - 1 + s.length), one_unit),
        (_rule(lambda s: s.count + s.length), one_unit),
        (_rule(lambda s: s.count + s.size), one_unit),
        (
            _rule(lambda s: s.length * s.units),
            _("Only one segment is counted; the inputs of all other segments are missing."),
        ),
        (
            _rule(lambda s: s.count * s.units + s.length),
            _("layer_units belong to the layers of the segment, not to the saved inputs."),
        ),
        (
            _rule(lambda s: s.n_layers * s.units),
            _("This keeps every layer; with segments only those of one hold layer_units."),
        ),
        (
            _rule(lambda s: (s.count - 1 + s.length) * s.units),
            _("In every other segment only the input is alive, which is one unit."),
        ),
        (_rule(lambda s: s.n_layers // s.size - 1 + s.length * s.units), rounded),
        (_rule(lambda s: max(1, s.n_layers // s.size) - 1 + s.length * s.units), rounded),
        (_rule(lambda s: s.n_layers / s.size - 1 + s.length * s.units), rounded),
        (
            _rule(lambda s: s.count - 1 + s.last * s.units),
            _("This is the peak in the last, shorter segment; a full one needs more."),
        ),
        (_rule(lambda s: s.count - 1 + s.length * 17), _("layer_units is ignored: 17 is used whatever it is.")),
        (
            lambda case: (
                _Segments.of(case).memory - _Segments.of(case).length * (0 if "layer_units" in case.inputs else 5)
            ),
            _("layer_units is 17 when it is not given, and 12 only where 12 is asked for."),
        ),
    ]


def _long_segment_rules() -> list[tuple[Rule, str]]:
    longer = _("A segment longer than the model has only the model's layers: min(k, L).")
    return [
        (_rule(lambda s: s.count - 1 + s.size * s.units), longer),
        (_rule(lambda s: s.n_layers // s.size - 1 + s.size * s.units), longer),
        (_rule(lambda s: s.n_layers / s.size - 1 + s.size * s.units), longer),
    ]


def _overhead_rules() -> list[tuple[Rule, str]]:
    def of_step(layers: Callable[[_Segments], float]) -> Rule:
        return _rule(lambda s: layers(s) / (3 * s.n_layers))

    def of_right(change: Callable[[float], float]) -> Rule:
        return lambda case: change(case.expected)

    shorter = _("The last segment, which is not recomputed, is shorter when k does not divide L.")
    segments = _("These are segments; every one but the last has k layers to recompute.")
    return [
        (of_step(lambda s: s.n_layers), _("Every layer is recomputed here; the last segment need not be.")),
        (of_step(lambda s: s.n_layers - s.size), shorter),
        (of_step(lambda s: s.n_layers - s.length), shorter),
        (of_right(lambda x: 3 * x), _("This compares with the forward alone; a whole step is worth three forwards.")),
        (
            of_right(lambda x: 1.5 * x),
            _("This compares with the backward alone; a whole step is worth three forwards."),
        ),
        (of_right(lambda x: 100 * x), _("This is a percentage; return a fraction.")),
        (of_right(lambda x: 1 + x), _("This is the ratio of the two steps; subtract 1 to get the overhead.")),
        (
            of_right(lambda x: x / (1 + x)),
            _("This is the share of the new step; divide by the step without recomputation."),
        ),
        (_rule(lambda s: s.n_layers - s.last), _("These are layers; divide them by those of a step, 3 * L.")),
        (of_step(lambda s: s.count - 1), segments),
        (
            _rule(lambda s: (s.count - 1) / (3 * s.count)),
            _("These are segments; the last one may be shorter than the others."),
        ),
        (of_step(lambda s: s.n_layers - s.count), _("A saved input spares no layer: all of a segment run once more.")),
        (
            of_step(lambda s: (max(1, s.n_layers // s.size) - 1) * s.size),
            _("When k does not divide L there is one more segment, so the last full one is recomputed."),
        ),
    ]


def _best_rules() -> list[tuple[Rule, str]]:
    def least(n_layers: int, layer_units: float = 17) -> float:
        return min(_Segments(n_layers, k, layer_units).memory for k in range(1, n_layers + 1))

    def sizes(n_layers: int, layer_units: float = 17) -> list[int]:
        """Return the segment sizes of least memory."""
        right = least(n_layers, layer_units)
        return [k for k in range(1, n_layers + 1) if _Segments(n_layers, k, layer_units).memory == right]

    def root(n_layers: int, layer_units: float = 17) -> int:
        return max(1, round(math.sqrt(n_layers / layer_units)))

    textbook = _("This is the textbook's square root of L, which takes a rebuilt layer for one unit.")
    near = _("The square root of L / layer_units is near the best whole number, but not always it: compare them.")
    ignored = _("layer_units is ignored.")
    return [
        (
            lambda case: sizes(**case.inputs)[0],
            _("Another segment size needs just as little memory: of equals take the largest."),
        ),
        (lambda case: root(case.inputs["n_layers"], 1), textbook),
        (lambda case: sizes(case.inputs["n_layers"], 1)[-1], textbook),
        (lambda case: root(**case.inputs), near),
        (lambda case: sizes(case.inputs["n_layers"])[-1], ignored),
        (lambda case: sizes(case.inputs["n_layers"])[0], ignored),
        (lambda case: least(**case.inputs), _("This is the least memory; the segment size that needs it is due.")),
        (lambda case: case.expected - 1, _("This is the position in the sweep, which starts at 0; k starts at 1.")),
    ]


def _whole_point(got: Any, case: Case) -> str | None:
    if isinstance(got, list | tuple) and got[0] == case.expected:
        return _("This is the whole point; its k alone is due.")
    return None


# Sweeps and fronts


def _other_range(got: Any, case: Case) -> str | None:
    ks = [point[0] for point in got]
    n_layers = case.inputs["n_layers"]
    if set(ks) < set(range(1, n_layers + 1)):
        return _("Some k are missing: list all of 1, 2, ... up to L, whether they divide L or not.")
    return None


def _other_form(got: Any, case: Case) -> str | None:
    if isinstance(got, dict):
        return _("A list of tuples (k, memory, overhead) is due, not a dict.")
    if same(list(zip(*got, strict=True)), case.expected):
        return _("These are three lists; one list of tuples (k, memory, overhead) is due.")
    if same([[k, memory, overhead] for k, overhead, memory in got], case.expected):
        return _("The order inside a tuple is (k, memory, overhead).")
    return None


def _wrong_column(got: Any, case: Case) -> str | None:
    for column, name in ((1, "segment_memory"), (2, "segment_overhead")):
        if not same([point[column] for point in got], [point[column] for point in case.expected]):
            usual = [float(_Segments(case.inputs["n_layers"], k).memory) for k, _memory, _overhead in case.expected]
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
        return _("When points are equal in memory and overhead, only the first stays.")
    return None


def _another_of_equal(got: Any, case: Case) -> str | None:
    if len(got) == len(case.expected) and {point[1:] for point in _points(got)} == _pairs(case):
        return _("When points are equal in memory and overhead, the first in the list stays, whatever its k.")
    return None


def _equal_ones_vanish(got: Any, case: Case) -> str | None:
    if {point[1:] for point in _points(got)} < _pairs(case):
        return _("Points that are equal do not dominate each other: one of them has to stay.")
    return None


def _pairs(case: Case) -> set[tuple[float, ...]]:
    return {tuple(point[1:]) for point in case.expected}
