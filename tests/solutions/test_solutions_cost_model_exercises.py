import itertools
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solutions.cost_model import (
    best_segment,
    pareto_front,
    segment_memory,
    segment_overhead,
    sweep_segments,
)

counts = st.integers(1, 200)
units = st.integers(1, 40)


@pytest.mark.parametrize(("layer_units", "expected"), [(12, {1: 75, 2: 55, 8: 103}), (17, {1: 80, 2: 65, 8: 143})])
def test_golden_values_of_segment_memory(layer_units, expected):
    assert {k: segment_memory(64, k, layer_units) for k in expected} == expected


def test_a_layer_holds_17_units_by_default():
    assert segment_memory(64, 2) == 65
    assert sweep_segments(64) == sweep_segments(64, 17)
    assert best_segment(64) == best_segment(64, 17) == 2


@given(n_layers=counts, layer_units=units, longer=st.integers(0, 50))
@settings(deadline=None)
def test_one_segment_keeps_everything_and_recomputes_nothing(n_layers, layer_units, longer):
    assert segment_memory(n_layers, n_layers + longer, layer_units) == n_layers * layer_units
    assert segment_overhead(n_layers, n_layers + longer) == 0


def live_units(n_layers, k, layer_units):
    """Go through a backward pass and record what is alive during each segment."""
    starts = range(0, n_layers, k)
    for earlier, start in enumerate(starts):
        yield earlier + len(range(n_layers)[start : start + k]) * layer_units


@given(n_layers=counts, k=counts, layer_units=units)
@settings(deadline=None)
def test_memory_is_that_of_a_pass_through_all_segments(n_layers, k, layer_units):
    peak = max(live_units(n_layers, k, layer_units))
    memory = segment_memory(n_layers, k, layer_units)
    if n_layers % k == 0 or k > n_layers:
        assert memory == peak
    else:
        # The formula lets the last, shorter segment be as long as the others, which costs one unit at most.
        assert peak <= memory <= peak + 1


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        ((64, 1), 63 / 192),
        ((64, 8), 56 / 192),
        ((64, 64), 0),
        ((10, 4), 8 / 30),
        ((10, 3), 9 / 30),
        ((10, 9), 9 / 30),
        ((1, 1), 0),
    ],
)
def test_golden_values_of_segment_overhead(args, expected):
    assert segment_overhead(*args) == pytest.approx(expected, rel=1e-12)


@given(n_layers=counts, k=counts)
@settings(deadline=None)
def test_all_layers_but_those_of_the_last_segment_are_recomputed(n_layers, k):
    segments = [range(n_layers)[start : start + k] for start in range(0, n_layers, k)]
    recomputed = sum(len(segment) for segment in segments[:-1])
    assert segment_overhead(n_layers, k) == pytest.approx(recomputed / (3 * n_layers))
    assert 0 <= segment_overhead(n_layers, k) < 1 / 3


@given(n_layers=counts, layer_units=units)
@settings(deadline=None)
def test_the_sweep_lists_every_segment_size(n_layers, layer_units):
    sweep = sweep_segments(n_layers, layer_units)
    assert [k for k, _, _ in sweep] == list(range(1, n_layers + 1))
    for k, memory, overhead in sweep:
        assert memory == segment_memory(n_layers, k, layer_units)
        assert overhead == segment_overhead(n_layers, k)


def dominates(q, p):
    return q[1] <= p[1] and q[2] <= p[2] and (q[1] < p[1] or q[2] < p[2])


# Small whole numbers make equal points and equal coordinates frequent.
points = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=30).map(
    lambda pairs: [(k, float(memory), overhead / 8) for k, (memory, overhead) in enumerate(pairs, 1)]
)


@given(points=points)
@settings(deadline=None)
def test_the_front_is_what_nothing_dominates(points):
    before = list(points)
    expected = [
        p
        for i, p in enumerate(points)
        if not any(dominates(q, p) for q in points) and not any(q[1:] == p[1:] for q in points[:i])
    ]
    front = pareto_front(points)
    assert front == sorted(expected, key=lambda p: p[1])
    assert all(any(p is q for q in points) for p in front)
    assert points == before


@given(n_layers=counts, layer_units=units)
@settings(deadline=None)
def test_the_front_of_a_sweep_starts_at_the_best_segment(n_layers, layer_units):
    front = pareto_front(sweep_segments(n_layers, layer_units))
    assert front[0][1] == segment_memory(n_layers, best_segment(n_layers, layer_units), layer_units)
    assert front[-1] == (n_layers, n_layers * layer_units, 0)
    for (_, memory, overhead), (_, more, less) in itertools.pairwise(front):
        assert memory < more
        assert overhead > less


@pytest.mark.parametrize(
    ("args", "expected"),
    [((64,), 2), ((64, 17), 2), ((64, 12), 2), ((64, 1), 8), ((64, 64), 1), ((1,), 1), ((100, 4), 5)],
)
def test_golden_values_of_best_segment(args, expected):
    assert best_segment(*args) == expected


@given(n_layers=counts, layer_units=units)
@settings(deadline=None)
def test_the_best_segment_is_the_largest_of_least_memory(n_layers, layer_units):
    memory = {k: segment_memory(n_layers, k, layer_units) for k in range(1, n_layers + 1)}
    best = best_segment(n_layers, layer_units)
    assert type(best) is int
    assert best == max(k for k in memory if memory[k] == min(memory.values()))


@pytest.mark.parametrize("layer_units", [1, 4, 16, 17, 36])
def test_the_optimum_follows_the_root_of_layers_per_unit(layer_units):
    for root in range(2, 12):
        best = best_segment(layer_units * root**2, layer_units)
        assert best == pytest.approx(root, abs=max(1, root / 4))
        least = segment_memory(layer_units * root**2, best, layer_units)
        assert least <= math.ceil(2 * root * layer_units) - 1
