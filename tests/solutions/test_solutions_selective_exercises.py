import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solutions.selective import (
    attention_backward_selective,
    attention_forward_selective,
    given_attention_backward,
    given_attention_forward,
    recompute_overhead,
)

DTYPES = [np.float64, np.float32]


def draw_attention(batch, seq, n_heads, head_size, dtype=np.float64, seed=0, scale=1.0):
    rng = np.random.default_rng(seed)
    h = n_heads * head_size
    x, grad_output = (rng.normal(size=(batch, seq, h)).astype(dtype) for _ in range(2))
    weights = tuple((scale * rng.normal(size=(h, h)) / math.sqrt(h)).astype(dtype) for _ in range(4))
    return x, weights, n_heads, grad_output


def flatten(gradients):
    grad_x, grads = gradients
    assert len(grads) == 4
    return [grad_x, *grads]


def assert_close(actual, expected):
    """Compare two arrays to machine precision, relative to the largest value."""
    assert actual.shape == expected.shape
    assert actual.dtype == expected.dtype
    tolerance = 64 * np.finfo(expected.dtype).eps * np.abs(expected).max()
    np.testing.assert_allclose(actual, expected, rtol=0, atol=tolerance)


attentions = st.builds(
    draw_attention,
    batch=st.integers(1, 3),
    seq=st.integers(1, 6),
    n_heads=st.integers(1, 3),
    head_size=st.integers(1, 4),
    dtype=st.sampled_from(DTYPES),
    seed=st.integers(0, 2**32 - 1),
)


def attention_by_hand(x, weights, n_heads):
    """Compute attention token by token, with a softmax in plain Python."""
    wq, wk, wv, wo = weights
    batch, seq, h = x.shape
    size = h // n_heads
    context = np.zeros_like(x)
    for b in range(batch):
        for head in range(n_heads):
            columns = slice(head * size, (head + 1) * size)
            q, k, v = (x[b] @ w[:, columns] for w in (wq, wk, wv))
            for i in range(seq):
                scores = [float(q[i] @ k[j]) / size**0.5 for j in range(seq)]
                exps = [math.exp(score - max(scores)) for score in scores]
                context[b, i, columns] = sum(e / sum(exps) * v[j] for j, e in enumerate(exps))
    return context @ wo


@pytest.mark.parametrize("sizes", [(2, 5, 2, 3), (1, 4, 1, 4), (2, 3, 4, 1), (1, 1, 2, 2)])
def test_given_forward_is_attention(sizes):
    x, weights, n_heads, _ = draw_attention(*sizes)
    y, saved = given_attention_forward(x, weights, n_heads)
    np.testing.assert_allclose(y, attention_by_hand(x, weights, n_heads), rtol=1e-12, atol=1e-12)
    batch, seq, heads, _ = sizes
    assert saved["probs"].shape == (batch, heads, seq, seq)
    np.testing.assert_allclose(saved["probs"].sum(axis=-1), 1, rtol=1e-12)


def test_every_token_sees_every_other_one():
    x, weights, n_heads, _ = draw_attention(1, 4, 2, 3)
    y, _ = given_attention_forward(x, weights, n_heads)
    x[0, -1] += 1
    changed, _ = given_attention_forward(x, weights, n_heads)
    assert (np.abs(changed - y).max(axis=-1) > 1e-6).all()


@pytest.mark.parametrize("sizes", [(2, 4, 2, 2), (1, 3, 1, 3), (2, 3, 3, 1), (1, 1, 2, 2)])
@pytest.mark.parametrize("name", ["given", "selective"])
def test_gradients_agree_with_finite_differences(sizes, name):
    x, weights, n_heads, grad_output = draw_attention(*sizes, seed=3)
    if name == "given":
        forward, backward = given_attention_forward, given_attention_backward
    else:
        forward, backward = attention_forward_selective, attention_backward_selective
    saved = forward(x, weights, n_heads)[1]
    gradients = [array.copy() for array in flatten(backward(grad_output, saved, weights, n_heads))]

    def loss():
        return float((forward(x, weights, n_heads)[0] * grad_output).sum())

    step = 1e-6
    for values, gradient in zip([x, *weights], gradients, strict=True):
        for index in np.ndindex(values.shape):
            kept = values[index]
            values[index] = kept + step
            above = loss()
            values[index] = kept - step
            below = loss()
            values[index] = kept
            assert (above - below) / (2 * step) == pytest.approx(gradient[index], rel=1e-6, abs=1e-7)


@given(attention=attentions)
@settings(max_examples=100, deadline=None)
def test_selective_attention_is_the_same_with_less_saved(attention):
    x, weights, n_heads, grad_output = attention
    inputs = [x, grad_output, *weights]
    before = [array.copy() for array in inputs]

    expected_y, everything = given_attention_forward(x, weights, n_heads)
    expected = given_attention_backward(grad_output, everything, weights, n_heads)
    y, saved = attention_forward_selective(x, weights, n_heads)
    gradients = attention_backward_selective(grad_output, saved, weights, n_heads)

    assert sum(array.nbytes for array in saved.values()) <= x.nbytes
    assert_close(y, expected_y)
    for array, expected_array in zip(flatten(gradients), flatten(expected), strict=True):
        assert array.dtype == x.dtype
        assert_close(array, expected_array)
    for array, copy in zip(inputs, before, strict=True):
        np.testing.assert_array_equal(array, copy)


def test_more_would_be_saved_without_selection():
    x, weights, n_heads, _ = draw_attention(1, 64, 4, 4)
    _, everything = given_attention_forward(x, weights, n_heads)
    assert sum(array.nbytes for array in everything.values()) > 20 * x.nbytes


@pytest.mark.parametrize("sign", [1, -1])
def test_scores_of_several_hundred_do_not_overflow(sign):
    x, (wq, wk, wv, wo), n_heads, grad_output = draw_attention(2, 6, 2, 4)
    weights = (30 * wq, sign * 30 * wk, wv, wo)
    q, k = x @ weights[0], x @ weights[1]
    assert np.abs(q[0, :, :4] @ k[0, :, :4].T / 2).max() > 800  # exp overflows above 709
    y, saved = attention_forward_selective(x, weights, n_heads)
    np.testing.assert_allclose(y, attention_by_hand(x, weights, n_heads), rtol=1e-9, atol=1e-9)
    expected_y, everything = given_attention_forward(x, weights, n_heads)
    expected = given_attention_backward(grad_output, everything, weights, n_heads)
    gradients = attention_backward_selective(grad_output, saved, weights, n_heads)
    assert_close(y, expected_y)
    for array, expected_array in zip(flatten(gradients), flatten(expected), strict=True):
        assert np.isfinite(array).all()
        assert_close(array, expected_array)


def test_lists_and_tuples_are_interchangeable():
    x, weights, n_heads, grad_output = draw_attention(2, 3, 2, 2)
    y, saved = attention_forward_selective(x, list(weights), n_heads)
    assert_close(y, attention_forward_selective(x, weights, n_heads)[0])
    attention_backward_selective(grad_output, saved, list(weights), n_heads)


@pytest.mark.parametrize(
    ("hidden", "seq", "scope", "expected"),
    [
        (8192, 8192, "core", 1 / 21),
        (8192, 8192, "module", 1 / 7),
        (8192, 8192, "layer", 1 / 3),
        # The models of Korthikanti et al. at 2,048 tokens, layers only; then a long context.
        (6144, 2048, "core", 0.0175),
        (12288, 2048, "core", 0.0090),
        (20480, 2048, "core", 0.0055),
        (25600, 2048, "core", 0.0044),
        (8192, 131072, "core", 0.2424),
    ],
)
def test_golden_values_of_recompute_overhead(hidden, seq, scope, expected):
    tolerance = 1e-12 if expected in (1 / 21, 1 / 7, 1 / 3) else 0.01
    assert recompute_overhead(hidden, seq, scope) == pytest.approx(expected, rel=tolerance)


@given(hidden=st.integers(1, 50_000), seq=st.integers(1, 10**6))
@settings(deadline=None)
def test_a_larger_scope_costs_more(hidden, seq):
    core, module, layer = (recompute_overhead(hidden, seq, scope) for scope in ("core", "module", "layer"))
    assert 0 < core < module < layer == pytest.approx(1 / 3)
    assert core == pytest.approx(4 * seq / (3 * (24 * hidden + 4 * seq)))
    assert module == pytest.approx((8 * hidden + 4 * seq) / (3 * (24 * hidden + 4 * seq)))
    assert recompute_overhead(2 * hidden, 2 * seq, "core") == pytest.approx(core)
