import itertools
import math
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solutions import recompute
from solutions.recompute import (
    backward_offloaded,
    breakeven_bandwidth,
    cheaper_choice,
    forward_offloaded,
    max_gradient_difference,
    measure_bandwidth,
    model_backward,
    model_forward,
    verify_checkpointing,
)

DTYPES = [np.float64, np.float32]
POSITIONS = list(itertools.product(range(3), range(4)))  # of an array in three layers


def draw_model(n_layers, n, d, m, dtype=np.float64, seed=0):
    """Draw an input, the parameters and a gradient of the output, scaled so that the values stay near 1."""
    rng = np.random.default_rng(seed)

    def normal(*shape, scale=1.0):
        return (scale * rng.normal(size=shape)).astype(dtype)

    params = [(normal(d, m, scale=d**-0.5), normal(m), normal(m, d, scale=m**-0.5), normal(d)) for _ in range(n_layers)]
    return normal(n, d), params, normal(n, d)


def draw_gradients(dtype=np.float64):
    x, params, grad_output = draw_model(3, 5, 3, 4, dtype)
    return model_backward(grad_output, model_forward(x, params)[1], params)[1]


def changed(grads, layer, position, value):
    """Copy gradients with the last value of one of their arrays replaced."""
    result = [[array.copy() for array in arrays] for arrays in grads]
    result[layer][position].flat[-1] = value
    return [tuple(arrays) for arrays in result]


models = st.builds(
    draw_model,
    n_layers=st.integers(1, 9),
    n=st.integers(1, 5),
    d=st.integers(1, 5),
    m=st.integers(1, 5),
    dtype=st.sampled_from(DTYPES),
    seed=st.integers(0, 2**32 - 1),
)


# Exercise 1


@pytest.mark.parametrize("dtype", DTYPES)
def test_equal_gradients_do_not_differ(dtype):
    difference = max_gradient_difference(draw_gradients(dtype), draw_gradients(dtype))
    assert difference == 0.0
    assert type(difference) is float


@pytest.mark.parametrize("change", [2.5, -2.5])
@pytest.mark.parametrize(("layer", "position"), POSITIONS)
def test_the_difference_is_found_wherever_it_is(layer, position, change):
    grads = draw_gradients()
    value = grads[layer][position].flat[-1] + change
    broken = changed(grads, layer, position, value)
    assert max_gradient_difference(grads, broken) == pytest.approx(2.5)
    assert max_gradient_difference(broken, grads) == pytest.approx(2.5)


def test_the_largest_of_several_differences_counts():
    grads = draw_gradients()
    broken = changed(changed(grads, 0, 0, 1e3), 2, 3, -1e6)
    assert max_gradient_difference(grads, broken) == pytest.approx(1e6 + grads[2][3][-1])


@pytest.mark.parametrize(("layer", "position"), POSITIONS)
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_is_not_finite_never_looks_like_agreement(layer, position, value):
    grads = draw_gradients()
    broken = changed(grads, layer, position, value)
    for pair in [(grads, broken), (broken, grads), (broken, broken)]:
        assert not math.isfinite(max_gradient_difference(*pair))


def test_lists_and_tuples_are_interchangeable():
    grads = draw_gradients()
    assert max_gradient_difference(tuple(grads), [list(layer) for layer in grads]) == 0.0


def other_structures():
    grads = draw_gradients()
    (gw1, gb1, gw2, gb2), *others = grads
    yield "a layer less", others
    yield "a layer more", [*grads, grads[0]]
    yield "a bias less", [(gw1, gb1, gw2), *others]
    yield "an array more", [(gw1, gb1, gw2, gb2, gb2), *others]
    yield "a matrix transposed", [(gw1.T, gb1, gw2, gb2), *others]
    yield "a bias that broadcasts", [(gw1, gb1, gw2, gb2[:1]), *others]
    yield "a bias with a second axis", [(gw1, gb1[None], gw2, gb2), *others]
    yield "nothing at all", []


@pytest.mark.parametrize("grads", [pytest.param(grads, id=name) for name, grads in other_structures()])
def test_different_structures_are_an_error(grads):
    with pytest.raises(ValueError, match="differ"):
        max_gradient_difference(draw_gradients(), grads)
    with pytest.raises(ValueError, match="differ"):
        max_gradient_difference(grads, draw_gradients())


@given(model=models, k=st.integers(1, 12))
@settings(max_examples=50, deadline=None)
def test_verification_finds_nothing_in_good_functions(model, k):
    x, params, _ = model
    inputs = [x, *(array for layer in params for array in layer)]
    before = [array.copy() for array in inputs]
    grad_x, grads = model_backward(np.ones_like(x), model_forward(x, params)[1], params)
    largest = max(np.abs(array).max() for array in [grad_x, *(array for layer in grads for array in layer)])
    difference = verify_checkpointing(x, params, k)
    assert type(difference) is float
    assert 0 <= difference <= 64 * np.finfo(x.dtype).eps * largest
    for array, copy in zip(inputs, before, strict=True):
        np.testing.assert_array_equal(array, copy)


@pytest.mark.parametrize("name", ["model_backward", "model_backward_checkpointed"])
@pytest.mark.parametrize("position", range(4))
def test_verification_notices_a_broken_gradient(monkeypatch, name, position):
    x, params, _ = draw_model(5, 6, 3, 4)
    original = getattr(recompute, name)

    def broken(*args):
        grad_x, grads = original(*args)
        return grad_x, changed(grads, -1, position, 1e3)

    # The backward with checkpoints calls the plain one, so keep it from being broken in the same way.
    if name == "model_backward":
        monkeypatch.setattr(recompute, "model_backward_checkpointed", constant_gradients(x, params))
    monkeypatch.setattr(recompute, name, broken)
    assert verify_checkpointing(x, params, 2) > 100


def constant_gradients(x, params):
    result = model_backward(np.ones_like(x), model_forward(x, params)[1], params)
    return lambda *args: result


def test_verification_notices_a_broken_gradient_of_the_input(monkeypatch):
    x, params, _ = draw_model(5, 6, 3, 4)
    original = recompute.model_backward_checkpointed

    def broken(*args):
        grad_x, grads = original(*args)
        return grad_x + 1, grads

    monkeypatch.setattr(recompute, "model_backward_checkpointed", broken)
    assert verify_checkpointing(x, params, 2) == pytest.approx(1)


def test_verification_notices_a_forward_that_saves_the_wrong_inputs(monkeypatch):
    x, params, _ = draw_model(5, 6, 3, 4)
    original = recompute.model_forward_checkpointed

    def broken(*args):
        output, saved_inputs = original(*args)
        return output, saved_inputs[::-1]

    monkeypatch.setattr(recompute, "model_forward_checkpointed", broken)
    assert verify_checkpointing(x, params, 2) > 1e-3


# Exercise 4


class RecordingList(list):
    """A list that remembers which positions were read, and what was still there at that time."""

    def __init__(self, items):
        super().__init__(items)
        self.reads = []

    def __getitem__(self, index):
        self.reads.append((index, [i for i, item in enumerate(self) if item is not None]))
        return super().__getitem__(index)


@given(model=models, k=st.integers(1, 12), before=st.lists(st.sampled_from([None, "other"]), max_size=3))
@settings(max_examples=100, deadline=None)
def test_offloading_changes_no_gradient_and_no_other_entry(model, k, before):
    x, params, grad_output = model
    original = x.copy()
    expected_output, activations = model_forward(x, params)
    expected_x, expected_grads = model_backward(grad_output, activations, params)
    expected_inputs = [array.copy() for array in activations[:-1:k]]

    host_buffer = list(before)
    output, handles = forward_offloaded(x, params, k, host_buffer)
    assert len(handles) == math.ceil(len(params) / k)
    assert handles == list(range(len(before), len(host_buffer)))
    np.testing.assert_array_equal(x, original)
    x[...] = np.nan  # the buffer holds copies, so this cannot matter
    for handle, expected in zip(handles, expected_inputs, strict=True):
        assert host_buffer[handle].dtype == x.dtype
        np.testing.assert_allclose(host_buffer[handle], expected, rtol=1e-5)

    grad_x, grads = backward_offloaded(grad_output, handles, host_buffer, params, k)
    assert output.dtype == grad_x.dtype == x.dtype
    np.testing.assert_allclose(output, expected_output, rtol=1e-4, atol=1e-5)
    assert host_buffer == before + [None] * len(handles)
    tolerance = 64 * np.finfo(x.dtype).eps
    pairs = [([grad_x], [expected_x]), *zip(grads, expected_grads, strict=True)]
    for actual, expected in pairs:
        for array, expected_array in zip(actual, expected, strict=True):
            assert array.dtype == expected_array.dtype
            scale = np.abs(expected_array).max()
            np.testing.assert_allclose(array, expected_array, rtol=0, atol=tolerance * scale)


@pytest.mark.parametrize("k", [1, 2, 3, 7, 8])
def test_an_entry_is_released_before_the_next_one_is_read(k):
    x, params, grad_output = draw_model(7, 4, 3, 2)
    host_buffer = RecordingList([None, "other"])
    _, handles = forward_offloaded(x, params, k, host_buffer)
    host_buffer.reads.clear()
    backward_offloaded(grad_output, handles, host_buffer, params, k)
    # Position 1 is the other entry. It stays, and no one reads it.
    assert host_buffer.reads == [(handle, [1, *handles[: i + 1]]) for i, handle in enumerate(handles)][::-1]
    assert list(host_buffer) == [None, "other"] + [None] * len(handles)


def test_two_models_share_a_buffer():
    first, second = draw_model(4, 3, 2, 5, seed=1), draw_model(6, 2, 4, 3, seed=2)
    host_buffer = []
    forwards = [forward_offloaded(x, params, 2, host_buffer) for x, params, _ in (first, second)]
    for (x, params, grad_output), (_, handles) in zip((first, second), forwards, strict=True):
        grad_x, _ = backward_offloaded(grad_output, handles, host_buffer, params, 2)
        expected_x, _ = model_backward(grad_output, model_forward(x, params)[1], params)
        np.testing.assert_allclose(grad_x, expected_x, rtol=1e-12, atol=1e-12)
    assert host_buffer == [None] * 5


class FakeClock:
    """A clock that only `transfer` advances, by the next of the given durations."""

    def __init__(self, *durations):
        self.now = 1000.0
        self.durations = list(durations)

    def __call__(self):
        return self.now

    def transfer(self):
        self.now += self.durations.pop(0)


@pytest.mark.parametrize("durations", [(4.0, 0.5, 2.0, 1.0, 8.0), (0.5, 4.0, 4.0, 4.0, 4.0), (8.0, 4.0, 2.0, 1.0, 0.5)])
def test_the_fastest_of_five_transfers_counts(durations):
    clock = FakeClock(*durations)
    assert measure_bandwidth(clock.transfer, 1e9, clock=clock) == 2e9
    assert clock.durations == []


@pytest.mark.parametrize("repeats", [1, 2, 7])
def test_exactly_so_many_transfers_are_made(repeats):
    clock = FakeClock(*range(1, 11))
    assert measure_bandwidth(clock.transfer, 64, repeats, clock) == 64
    assert len(clock.durations) == 10 - repeats


def test_without_a_clock_the_real_one_is_used():
    bandwidth = measure_bandwidth(lambda: time.sleep(0.002), 1000)
    assert 0 < bandwidth <= 1000 / 0.0019


def test_breakeven_bandwidth_on_paper():
    # 1 GB against 2 TFLOP at 100 TFLOP/s, that is 20 ms: 50 GB/s.
    assert breakeven_bandwidth(1e9, 2e12, 1e14) == pytest.approx(50e9)


positive = st.floats(1e-3, 1e15)


@given(n_bytes=positive, recompute_flops=positive, flops_per_second=positive)
@settings(deadline=None)
def test_at_breakeven_both_take_the_same_time(n_bytes, recompute_flops, flops_per_second):
    bandwidth = breakeven_bandwidth(n_bytes, recompute_flops, flops_per_second)
    assert n_bytes / bandwidth == pytest.approx(recompute_flops / flops_per_second)
    assert cheaper_choice(n_bytes, recompute_flops, bandwidth * 1.001, flops_per_second) == "offload"
    assert cheaper_choice(n_bytes, recompute_flops, bandwidth * 0.999, flops_per_second) == "recompute"


@given(exponents=st.tuples(*[st.integers(-20, 40)] * 3))
@settings(deadline=None)
def test_a_tie_is_recomputed(exponents):
    n_bytes, recompute_flops, flops_per_second = (2.0**e for e in exponents)
    bandwidth = n_bytes * flops_per_second / recompute_flops
    assert cheaper_choice(n_bytes, recompute_flops, bandwidth, flops_per_second) == "recompute"
