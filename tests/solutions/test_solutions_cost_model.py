import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solutions.cost_model import (
    activation_memory_mb,
    checkpoint_cost,
    memory_after_checkpoint,
    optimal_segment,
    selective_checkpoint_cost,
)

KEYS = ("fwd", "recompute", "bwd", "total", "overhead_vs_no_ckpt")
counts = st.integers(1, 500)
flops = st.floats(1e-3, 1e18)


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        ((32, 1), (32, 32, 64, 128)),
        ((32, 4, 2.5), (80, 80, 160, 320)),
        ((64, 8), (64, 64, 128, 256)),
        ((1, 1), (1, 1, 2, 4)),
        ((80, 10, 1e12), (8e13, 8e13, 1.6e14, 3.2e14)),
    ],
)
def test_golden_values_of_checkpoint_cost(args, expected):
    expected = dict(zip(KEYS, (*expected, 1 / 3), strict=True))
    assert checkpoint_cost(*args) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        ((32,), (32, 4.8, 64, 100.8, 0.05)),
        ((32, 0.15), (32, 4.8, 64, 100.8, 0.05)),
        ((64, 0.3, 2.0), (128, 38.4, 256, 422.4, 0.1)),
        ((96, 0.027), (96, 2.592, 192, 290.592, 0.009)),
    ],
)
def test_golden_values_of_selective_checkpoint_cost(args, expected):
    assert selective_checkpoint_cost(*args) == pytest.approx(dict(zip(KEYS, expected, strict=True)), rel=1e-12)


@given(n_layers=counts, segment_size=counts, flops_per_layer=flops)
@settings(deadline=None)
def test_full_recomputation_is_a_third_of_a_step_whatever_the_segment(n_layers, segment_size, flops_per_layer):
    cost = checkpoint_cost(n_layers, segment_size, flops_per_layer)
    assert tuple(cost) == KEYS
    assert cost["recompute"] == cost["fwd"] == cost["bwd"] / 2
    assert cost["total"] == pytest.approx(cost["fwd"] + cost["recompute"] + cost["bwd"])
    assert cost["overhead_vs_no_ckpt"] == pytest.approx(1 / 3)
    assert cost == pytest.approx(selective_checkpoint_cost(n_layers, 1.0, flops_per_layer))


@given(n_layers=counts, fraction=st.floats(0, 1), flops_per_layer=flops)
@settings(deadline=None)
def test_selective_overhead_is_a_third_of_the_fraction(n_layers, fraction, flops_per_layer):
    cost = selective_checkpoint_cost(n_layers, fraction, flops_per_layer)
    assert cost["recompute"] == pytest.approx(fraction * cost["fwd"])
    assert cost["overhead_vs_no_ckpt"] == pytest.approx(fraction / 3, abs=1e-12)


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        ((1,), 1610.612736),
        ((64,), 103079.215104),
        ((32, 4096, 2048, 4, 2), 25769.803776),
        ((28, 2048, 1024, 2, 4), 5637.144576),
    ],
)
def test_golden_values_of_activation_memory_mb(args, expected):
    assert activation_memory_mb(*args) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        ((64, 8), 2147.483648),
        ((64, 1), 8724.15232),
        ((64, 64), 8724.15232),
        ((32, 4, 4096, 2048, 4, 2), 805.306368),
        ((8, 100), 13555.990528),
        ((1, 1), 268.435456),
    ],
)
def test_golden_values_of_memory_after_checkpoint(args, expected):
    assert memory_after_checkpoint(*args) == pytest.approx(expected, rel=1e-12)


def test_a_short_last_segment_counts_in_full():
    # 10 layers in segments of 4 are 3 segments; one tensor is 8 bytes.
    assert memory_after_checkpoint(10, 4, 2, 1, 1, 4) == pytest.approx((3 + 4) * 8e-6)


def test_both_memories_use_the_same_defaults():
    sizes = {"hidden": 8192, "seq": 8192, "batch": 1, "bytes_per_value": 2}
    assert activation_memory_mb(48) == activation_memory_mb(48, **sizes)
    assert memory_after_checkpoint(48, 6) == memory_after_checkpoint(48, 6, **sizes)


@given(
    n_layers=counts,
    segment_size=counts,
    sizes=st.tuples(counts, counts, counts, st.sampled_from([1, 2, 4, 8])),
)
@settings(deadline=None)
def test_memory_is_proportional_to_every_size(n_layers, segment_size, sizes):
    stored = activation_memory_mb(n_layers, *sizes)
    checkpointed = memory_after_checkpoint(n_layers, segment_size, *sizes)
    assert stored / activation_memory_mb(1, *sizes) == pytest.approx(n_layers)
    for i in range(4):
        doubled = [2 * size if i == j else size for j, size in enumerate(sizes)]
        assert activation_memory_mb(n_layers, *doubled) == pytest.approx(2 * stored)
        assert memory_after_checkpoint(n_layers, segment_size, *doubled) == pytest.approx(2 * checkpointed)
    assert checkpointed * 1e6 / math.prod(sizes) == pytest.approx(math.ceil(n_layers / segment_size) + segment_size)


@pytest.mark.parametrize(
    ("n_layers", "expected"),
    [
        *((1, 1), (2, 1), (3, 2), (6, 2), (7, 3), (12, 3), (13, 4), (20, 4), (21, 5), (24, 5)),
        *((32, 6), (48, 7), (64, 8), (80, 9), (96, 10), (100, 10), (126, 11)),
    ],
)
def test_golden_values_of_optimal_segment(n_layers, expected):
    assert optimal_segment(n_layers) == expected


@given(n_layers=st.integers(1, 2_000))
@settings(deadline=None)
def test_no_whole_segment_size_beats_the_optimal_one(n_layers):
    k = optimal_segment(n_layers)
    assert type(k) is int

    def inputs(k):
        return n_layers / k + k

    assert inputs(k) == pytest.approx(min(inputs(i) for i in range(1, n_layers + 1)))
    assert all(inputs(k) <= inputs(i) * (1 + 1e-12) for i in (k - 1, k + 1) if i >= 1)


@given(n_layers=st.integers(1, 100))
@settings(deadline=None)
def test_a_square_number_of_layers_has_its_root_as_segment(n_layers):
    assert optimal_segment(n_layers**2) == n_layers


def test_numpy_integers_are_as_good_as_plain_ones():
    assert optimal_segment(np.int64(64)) == 8
    assert memory_after_checkpoint(np.int64(64), np.int64(8)) == memory_after_checkpoint(64, 8)
