"""The cost model: steps 4 to 6 and exercise 2. Plain numbers, drawn from ranges that real models have."""

from __future__ import annotations

from typing import Any

import numpy as np

from grader.cases.case import Case
from grader.cases.drawing.drawer import Drawer, Groups, Reference, asked


def _step4(rng: np.random.Generator, reference: Reference) -> Groups:
    full, selective = [], []
    for _ in range(6):
        n_layers, flops = int(rng.integers(2, 130)), float(rng.uniform(0.5, 9.0))
        size = int(rng.integers(1, n_layers + 1))
        full.append(
            asked(
                reference,
                "checkpoint_cost",
                {"n_layers": n_layers, "segment_size": size, "flops_per_layer": flops},
            )
        )
        selective.append(
            asked(
                reference,
                "selective_checkpoint_cost",
                {"n_layers": n_layers, "attention_fraction": float(rng.uniform(0.02, 0.9)), "flops_per_layer": flops},
            )
        )
    n_layers = int(rng.integers(2, 130))
    full.append(asked(reference, "checkpoint_cost", {"n_layers": n_layers, "segment_size": 2 * n_layers}))
    full.append(asked(reference, "checkpoint_cost", {"n_layers": 1, "segment_size": 1}))
    selective.append(asked(reference, "selective_checkpoint_cost", {"n_layers": n_layers}))
    return {"full": full, "overhead": full, "selective": selective, "selective_overhead": selective}


def _step5(rng: np.random.Generator, reference: Reference) -> Groups:
    def model() -> dict[str, int]:
        return {
            "hidden": 64 * int(rng.integers(8, 200)),
            "seq": 256 * int(rng.integers(3, 60)),
            "batch": int(rng.integers(3, 9)),
            "bytes_per_value": int(rng.choice([1, 4, 8])),
        }

    store_all = [
        asked(reference, "activation_memory_mb", {"n_layers": int(rng.integers(2, 130)), **model()}) for _ in range(5)
    ]
    checkpointed = []
    for segments, size in (
        (8, 1),
        (1, 12),
        (6, 4),
        (3, 16),
        (int(rng.integers(2, 12)), int(rng.integers(2, 12))),
    ):
        inputs = {"n_layers": segments * size, "segment_size": size, **model()}
        checkpointed.append(asked(reference, "memory_after_checkpoint", inputs))
    long_segment = []
    for n_layers, size in ((4, 9), (8, 100), (1, 2)):
        inputs = {"n_layers": n_layers, "segment_size": size, **model()}
        case = asked(reference, "memory_after_checkpoint", inputs)
        # The published lesson counts the segment's k tensors; a segment of the whole model holds L.
        shorter = case.expected * (1 + n_layers) / (1 + size)
        long_segment.append(Case(case.function, inputs, [case.expected, shorter]))
    size = int(rng.integers(2, 12))
    defaults = [
        asked(reference, "activation_memory_mb", {"n_layers": int(rng.integers(2, 130))}),
        asked(reference, "memory_after_checkpoint", {"n_layers": 5 * size, "segment_size": size}),
    ]
    return {
        "store_all": store_all,
        "checkpointed": checkpointed,
        "long_segment": long_segment,
        "defaults": defaults,
    }


def _step6(rng: np.random.Generator, reference: Reference) -> Groups:
    def sizes(*values: int) -> list[Case]:
        return [asked(reference, "optimal_segment", {"n_layers": value}) for value in values]

    drawn = (int(value) for value in rng.choice(np.arange(3, 400), 12, replace=False))
    return {"nearest": sizes(3, 7, 12, 13, 16, 21, 24, 64, 80, 96, 126, *drawn), "small": sizes(1, 2)}


def _exercise2(rng: np.random.Generator, reference: Reference) -> Groups:
    def number(function: str, n_layers: int, size: int, *units: float) -> Case:
        named = dict(zip(("layer_units",), units, strict=False))
        case = asked(reference, function, {"n_layers": n_layers, "segment_size": size, **named})
        return Case(function, case.inputs, float(case.expected))

    def units() -> float:
        # Halves are exact, so that equal memory is equal in every order of summation.
        return float(rng.integers(3, 60)) / 2

    def layers() -> int:
        return int(rng.integers(20, 130))

    memory = [number("segment_memory", 64, size, factor) for factor in (12, 17) for size in (1, 2, 8)]
    memory += [number("segment_memory", 64, int(rng.integers(2, 32)))]
    memory += [number("segment_memory", layers(), int(rng.integers(2, 19)), units()) for _ in range(6)]
    store_all, overhead = [], [number("segment_overhead", *sizes) for sizes in ((64, 1), (64, 8), (10, 4), (10, 9))]
    for _ in range(3):
        n_layers = layers()
        for size in (n_layers, n_layers + int(rng.integers(1, 50))):
            store_all.append(number("segment_memory", n_layers, size, units()))
            overhead.append(number("segment_overhead", n_layers, size))
        overhead.append(number("segment_overhead", n_layers, int(rng.integers(2, n_layers))))
    return {
        "memory": memory,
        "store_all": store_all,
        "overhead": overhead,
        "sweep": [
            _sweep(reference, {"n_layers": 24}),
            _sweep(reference, {"n_layers": 1, "layer_units": 5}),
            _sweep(reference, {"n_layers": int(rng.integers(7, 40)), "layer_units": units()}),
        ],
        "front": _fronts(rng, reference),
        "equal_points": _equal_points(rng, reference),
        "best": _bests(rng, reference),
    }


def _sweep(reference: Reference, inputs: dict[str, Any]) -> Case:
    points = [(k, float(memory), float(overhead)) for k, memory, overhead in reference["sweep_segments"](**inputs)]
    return Case("sweep_segments", inputs, points)


def _shuffled(rng: np.random.Generator, points: list[Any]) -> list[Any]:
    return [points[int(i)] for i in rng.permutation(len(points))]


def _fronts(rng: np.random.Generator, reference: Reference) -> list[Case]:
    """Draw points of which no two are equal: sweeps, and points that often agree in one coordinate."""
    sweeps = [_sweep(reference, {"n_layers": n, "layer_units": units}).expected for n, units in ((12, 3), (40, 17))]
    cloud = [(float(memory), overhead / 64) for memory in range(1, 9) for overhead in range(12)]
    chosen = [cloud[int(i)] for i in rng.choice(len(cloud), 30, replace=False)]
    points = [(k, *pair) for k, pair in enumerate(chosen, 1)]
    # All of the same memory, the best one last; then all of the same overhead. One point of each stays.
    column = [(k, 7.0, overhead / 64) for k, overhead in enumerate([*(1 + rng.permutation(8)).tolist(), 0], 1)]
    row = [(k, float(memory), 0.25) for k, memory in enumerate(rng.permutation(9).tolist(), 1)]
    drawn = (sweeps[0], _shuffled(rng, sweeps[1]), points, _stairs(rng), column, row, [(3, 5.0, 0.125)])
    return [asked(reference, "pareto_front", {"points": points}) for points in drawn]


def _equal_points(rng: np.random.Generator, reference: Reference) -> list[Case]:
    """Draw points with equal ones on the front: same memory and overhead, another k."""
    return [asked(reference, "pareto_front", {"points": _stairs(rng, (1, 2, 2, 3), sign)}) for sign in (1, -1)]


def _stairs(rng: np.random.Generator, again: tuple[int, ...] = (), sign: int = 1) -> list[tuple[int, float, float]]:
    """Draw five points of a front, with those in `again` once more, and as many that they dominate, in any order.

    The more memory a point needs, the smaller is its k; of equal points the first one has the smallest k, or the
    largest where the sign is negative.
    """
    front = [(10.0 + 2 * i, 0.3125 - i / 32) for i in range(5)]
    dominated = [(memory + 1, overhead) for memory, overhead in front]
    pairs = _shuffled(rng, [*front, *dominated, *(front[i] for i in again)])
    order = sorted(range(len(pairs)), key=lambda place: (-pairs[place][0], sign * place))
    return [(order.index(place) + 1, *pair) for place, pair in enumerate(pairs)]


def _bests(rng: np.random.Generator, reference: Reference) -> list[Case]:
    def best(n_layers: int, *units: float) -> Case:
        return asked(
            reference, "best_segment", dict(zip(("n_layers", "layer_units"), (n_layers, *units), strict=False))
        )

    # For 36 and for 105 layers the rounded root of layers / 17 is not the best.
    golden = [best(64), best(64, 12), best(64, 1), best(64, 64), best(1), best(100, 4), best(36), best(105)]
    # With half as many units as layers, segments of one and of two layers need the same.
    ties = [
        best(n_layers, n_layers // 2)
        for n_layers in (64, 2 * int(rng.integers(5, 60)), 1 + 2 * int(rng.integers(5, 60)))
    ]
    drawn = [best(int(rng.integers(20, 200)), float(rng.integers(2, 60)) / 2) for _ in range(5)]
    return [*golden, *ties, *drawn]


DRAWERS: dict[str, Drawer] = {"step4": _step4, "step5": _step5, "step6": _step6, "exercise2": _exercise2}
