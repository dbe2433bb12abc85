import gc
import math
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solutions.recompute import (
    layer_forward,
    linear_forward,
    model_backward,
    model_backward_checkpointed,
    model_forward,
    model_forward_checkpointed,
    relu,
)

DTYPES = [np.float64, np.float32]


def draw_model(n_layers, n, d, m, dtype=np.float64, seed=0):
    """Draw an input, the parameters and a gradient of the output, scaled so that the values stay near 1."""
    rng = np.random.default_rng(seed)

    def normal(*shape, scale=1.0):
        return (scale * rng.normal(size=shape)).astype(dtype)

    params = [
        (
            normal(d, m, scale=d**-0.5),
            normal(m, scale=0.1),
            normal(m, d, scale=m**-0.5),
            normal(d, scale=0.1),
        )
        for _ in range(n_layers)
    ]
    return normal(n, d), params, normal(n, d)


def flatten(x, params, *others):
    """List every array of a model."""
    return [x, *others, *(array for layer in params for array in layer)]


def assert_close(actual, expected):
    """Compare two arrays to machine precision, relative to the largest value."""
    assert actual.shape == expected.shape
    assert actual.dtype == expected.dtype
    tolerance = 64 * np.finfo(expected.dtype).eps * np.abs(expected).max()
    np.testing.assert_allclose(actual, expected, rtol=0, atol=tolerance)


def assert_same_gradients(actual, expected):
    (grad_x, grads), (expected_x, expected_grads) = actual, expected
    assert [len(layer) for layer in grads] == [4] * len(expected_grads)
    for array, expected_array in zip(flatten(grad_x, grads), flatten(expected_x, expected_grads), strict=True):
        assert_close(array, expected_array)


sizes = st.integers(1, 6)
models = st.builds(
    draw_model,
    n_layers=st.integers(1, 9),
    n=sizes,
    d=sizes,
    m=sizes,
    dtype=st.sampled_from(DTYPES),
    seed=st.integers(0, 2**32 - 1),
)
# n, d, m: all different, then every way in which two of them can be equal, then the smallest.
SHAPES = [(5, 3, 4), (5, 3, 3), (3, 3, 4), (4, 3, 4), (3, 3, 3), (1, 3, 4), (1, 1, 1)]


def test_linear_forward_on_paper():
    x = np.array([[1.0, 2.0], [3.0, 4.0], [0.0, -1.0]])
    w = np.array([[1.0, 0.0, 2.0], [0.0, 1.0, -1.0]])
    expected = [[11.0, 22.0, 30.0], [13.0, 24.0, 32.0], [10.0, 19.0, 31.0]]
    assert linear_forward(x, w, np.array([10.0, 20.0, 30.0])).tolist() == expected


@pytest.mark.parametrize("dtype", DTYPES)
def test_relu_on_paper(dtype):
    x = np.array([[-2.0, 0.0, 3.0]], dtype)
    result = relu(x)
    assert result.tolist() == [[0.0, 0.0, 3.0]]
    assert result.dtype == dtype
    assert result is not x


def test_layer_forward_on_paper():
    x = np.array([[1.0, 2.0]])
    w1, b1 = np.array([[1.0, -1.0], [1.0, 1.0]]), np.array([0.0, -2.0])  # hidden: 3, -1
    w2, b2 = np.array([[2.0, 0.0], [5.0, 5.0]]), np.array([1.0, 1.0])
    assert layer_forward(x, w1, b1, w2, b2).tolist() == [[7.0, 1.0]]


def test_model_forward_keeps_the_input_and_every_output():
    x, params, _ = draw_model(3, 4, 2, 5)
    output, activations = model_forward(x, params)
    assert len(activations) == 4
    assert activations[0] is x
    for before, after, layer in zip(activations, activations[1:], params, strict=False):
        assert_close(after, layer_forward(before, *layer))
    assert_close(activations[-1], output)


def test_model_backward_on_paper():
    # One layer, y = 5 * relu(3 * x + 1) + 2 at x = 2: hidden 7, dy/dx = 15.
    params = [(np.array([[3.0]]), np.array([1.0]), np.array([[5.0]]), np.array([2.0]))]
    output, activations = model_forward(np.array([[2.0]]), params)
    grad_x, ((gw1, gb1, gw2, gb2),) = model_backward(np.array([[1.0]]), activations, params)
    assert output.tolist() == [[37.0]]
    assert grad_x.tolist() == [[15.0]]
    assert (gw1.tolist(), gb1.tolist()) == ([[10.0]], [5.0])
    assert (gw2.tolist(), gb2.tolist()) == ([[7.0]], [1.0])


@pytest.mark.parametrize(("n", "d", "m"), SHAPES)
def test_gradients_agree_with_finite_differences(n, d, m):
    x, params, grad_output = draw_model(3, n, d, m, seed=n + 10 * d + 100 * m)
    grad_x, grads = model_backward(grad_output, model_forward(x, params)[1], params)

    def loss():
        return float((model_forward(x, params)[0] * grad_output).sum())

    step = 1e-6
    for values, gradient in zip(flatten(x, params), flatten(grad_x, grads), strict=True):
        for index in np.ndindex(values.shape):
            kept = values[index]
            values[index] = kept + step
            above = loss()
            values[index] = kept - step
            below = loss()
            values[index] = kept
            assert (above - below) / (2 * step) == pytest.approx(gradient[index], rel=1e-6, abs=1e-7)


def test_the_derivative_of_relu_at_zero_is_zero():
    x, [(w1, b1, w2, b2)], grad_output = draw_model(1, 4, 3, 5)
    params = [(np.zeros_like(w1), np.zeros_like(b1), w2, b2)]
    grad_x, [(gw1, gb1, gw2, gb2)] = model_backward(grad_output, model_forward(x, params)[1], params)
    for gradient in (grad_x, gw1, gb1, gw2):
        assert not gradient.any()
    np.testing.assert_allclose(gb2, grad_output.sum(axis=0), rtol=1e-14)


@pytest.mark.parametrize(
    ("n_layers", "k"), [(1, 1), (1, 4), (8, 1), (8, 2), (8, 4), (8, 3), (8, 7), (8, 8), (8, 9), (8, 100)]
)
def test_forward_checkpointed_saves_the_input_of_every_kth_layer(n_layers, k):
    x, params, _ = draw_model(n_layers, 5, 3, 4)
    output, activations = model_forward(x, params)
    checkpointed_output, saved_inputs = model_forward_checkpointed(x, params, k)
    assert_close(checkpointed_output, output)
    assert len(saved_inputs) == math.ceil(n_layers / k)
    for j, saved in enumerate(saved_inputs):
        assert_close(saved, activations[j * k])


def test_segments_have_four_layers_by_default():
    x, params, grad_output = draw_model(10, 5, 3, 4)
    saved_inputs = model_forward_checkpointed(x, params)[1]
    assert len(saved_inputs) == 3
    assert_same_gradients(
        model_backward_checkpointed(grad_output, saved_inputs, params),
        model_backward_checkpointed(grad_output, saved_inputs, params, 4),
    )


@given(model=models, k=st.integers(1, 12))
@settings(max_examples=150, deadline=None)
def test_checkpointed_gradients_are_those_of_store_everything(model, k):
    x, params, grad_output = model
    output, activations = model_forward(x, params)
    checkpointed_output, saved_inputs = model_forward_checkpointed(x, params, k)
    assert_close(checkpointed_output, output)
    assert_same_gradients(
        model_backward_checkpointed(grad_output, saved_inputs, params, k),
        model_backward(grad_output, activations, params),
    )


@pytest.mark.parametrize(("n", "d", "m"), SHAPES)
@pytest.mark.parametrize("k", [1, 2, 3, 6, 7])
def test_checkpointed_gradients_for_sizes_that_coincide(n, d, m, k):
    x, params, grad_output = draw_model(6, n, d, m)
    assert_same_gradients(
        model_backward_checkpointed(grad_output, model_forward_checkpointed(x, params, k)[1], params, k),
        model_backward(grad_output, model_forward(x, params)[1], params),
    )


@given(model=models, k=st.integers(1, 12))
@settings(max_examples=50, deadline=None)
def test_dtypes_are_kept_and_inputs_left_alone(model, k):
    x, params, grad_output = model
    inputs = flatten(x, params, grad_output)
    before = [array.copy() for array in inputs]
    output, activations = model_forward(x, params)
    activations_before = [array.copy() for array in activations]
    checkpointed_output, saved_inputs = model_forward_checkpointed(x, params, k)
    saved_before = [array.copy() for array in saved_inputs]
    grad_x, grads = model_backward(grad_output, activations, params)
    checkpointed_x, checkpointed_grads = model_backward_checkpointed(grad_output, saved_inputs, params, k)

    returned = [output, *activations, checkpointed_output, *saved_inputs]
    returned += [*flatten(grad_x, grads), *flatten(checkpointed_x, checkpointed_grads)]
    assert {array.dtype for array in returned} == {x.dtype}
    assert [layer.shape for layer in flatten(grad_x, grads)] == [array.shape for array in flatten(x, params)]
    for arrays, copies in [
        (inputs, before),
        (activations, activations_before),
        (saved_inputs, saved_before),
    ]:
        for array, copy in zip(arrays, copies, strict=True):
            np.testing.assert_array_equal(array, copy)


def test_lists_and_tuples_are_interchangeable():
    x, params, grad_output = draw_model(5, 4, 3, 2)
    as_lists = [list(layer) for layer in params]
    expected = model_backward(grad_output, model_forward(x, params)[1], params)
    activations = tuple(model_forward(x, as_lists)[1])
    assert_same_gradients(model_backward(grad_output, activations, tuple(params)), expected)
    saved_inputs = tuple(model_forward_checkpointed(x, as_lists, 2)[1])
    assert_same_gradients(model_backward_checkpointed(grad_output, saved_inputs, as_lists, 2), expected)


def measure_memory(function):
    """Return the result of a call, and what it left alive and held at its peak, in bytes."""
    gc.collect()
    tracemalloc.start(1)
    try:
        before, _ = tracemalloc.get_traced_memory()
        result = function()
        gc.collect()
        after, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    return result, after - before, peak - before


@pytest.mark.parametrize("k", [1, 4, 7, 16, 48])
def test_memory_is_that_of_the_saved_inputs_and_one_segment(k):
    # n is much larger than d = m, so that the parameters' gradients weigh next to nothing.
    x, params, grad_output = draw_model(48, 2048, 16, 16)
    (_, saved_inputs), left_alive, _ = measure_memory(lambda: model_forward_checkpointed(x, params, k))
    _, _, added = measure_memory(lambda: model_backward_checkpointed(grad_output, saved_inputs, params, k))
    assert left_alive <= (math.ceil(48 / k) + 1) * x.nbytes
    assert added <= (k + 8) * x.nbytes


def test_keeping_everything_takes_an_array_per_layer():
    x, params, _ = draw_model(48, 2048, 16, 16)
    _, left_alive, _ = measure_memory(lambda: model_forward(x, params))
    assert left_alive >= 48 * x.nbytes


class CountingArray(np.ndarray):
    """An array that adds up the multiply-adds of the matrix products it takes part in."""

    multiply_adds = 0

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        inputs = [np.asarray(i) if isinstance(i, CountingArray) else i for i in inputs]
        result = getattr(ufunc, method)(*inputs, **kwargs)
        if ufunc is np.matmul:
            CountingArray.multiply_adds += result.size * inputs[0].shape[-1]
        return result.view(CountingArray)


@pytest.mark.parametrize("k", [1, 4, 8, 12])
def test_the_backward_takes_seven_products_per_layer(k, monkeypatch):
    n, d, m = 6, 3, 5
    x, params, grad_output = draw_model(12, n, d, m)
    params = [tuple(array.view(CountingArray) for array in layer) for layer in params]
    saved_inputs = model_forward_checkpointed(x, params, k)[1]
    monkeypatch.setattr(CountingArray, "multiply_adds", 0)
    model_backward_checkpointed(grad_output, saved_inputs, params, k)
    assert CountingArray.multiply_adds == 7 * 12 * n * d * m
