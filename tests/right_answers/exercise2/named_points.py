"""The points are named tuples."""

from typing import NamedTuple


class SegmentPoint(NamedTuple):
    k: int
    memory: float
    overhead: float


def sweep_segments(n_layers, layer_units=17):
    return [
        SegmentPoint(k, segment_memory(n_layers, k, layer_units), segment_overhead(n_layers, k))
        for k in range(1, n_layers + 1)
    ]


def pareto_front(points):
    front: list[SegmentPoint] = []
    for point in sorted((SegmentPoint(*point) for point in points), key=lambda p: (p.memory, p.overhead)):
        if not front or point.overhead < front[-1].overhead:
            front.append(point)
    return front


def best_segment(n_layers, layer_units=17):
    return max(sweep_segments(n_layers, layer_units), key=lambda point: (-point.memory, point.k)).k
