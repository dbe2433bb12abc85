"""Answers are compared as the contract says, whatever form they come in."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.checks.comparing import describe, difference, largest_magnitude
from grader.worker.wire import Opaque

FINITE = st.floats(-1e6, 1e6, allow_nan=False)


# fmt: off
RIGHT = [
    (1.0, 1.0), (np.float64(1), 1.0), (1, 1.0), (np.int32(1), 1.0), (np.array(1.0), 1.0), (1 + 1e-10, 1.0),
    (8, 8), (8.0, 8), (np.float64(8), 8), (np.int64(8), 8), (np.float32(8), 8), (np.array(8), 8),
    (True, True), (np.bool_(True), True), (False, False),
    ([1.0, 2.0], (1.0, 2.0)), ((1.0, 2.0), [1.0, 2.0]), ({"a": 1.0, "extra": "x"}, {"a": 1.0}),
    (np.ones(3), np.ones(3)), (np.float64(2.0), np.array(2.0)), ("offload", "offload"),
    (np.ones(3, np.float64), np.ones(3, np.float32)), (np.ones(0), np.ones(0)), (np.zeros(2), np.zeros(2)),
]
# fmt: on


@pytest.mark.parametrize(("got", "expected"), RIGHT)
def test_right_in_any_form(got, expected):
    assert difference(got, expected) is None


# fmt: off
WRONG = [
    (True, 1.0), (None, 1.0), ("1", 1.0), (math.nan, 1.0), (math.inf, 1.0), (1 + 1e-8, 1.0), (1j, 1.0),
    (8.5, 8), (9, 8), (True, 1), (math.nan, 8), ("8", 8), (1, True), (0, False), ("True", True), (None, False),
    (np.int64(1), True), ([1.0], [1.0, 2.0]), (1.0, [1.0]), ({"b": 1.0}, {"a": 1.0}), ([1.0], {"a": 1.0}),
    (np.ones(3), np.ones(4)), (np.ones((3, 1)), np.ones(3)), ([1.0, 1.0], np.ones(2)),
    (np.ones(2, int), np.ones(2)),
    (np.array([1.0, math.nan]), np.ones(2)), (np.ones(2) + 1e-9, np.ones(2)), (np.ones(2, complex), np.ones(2)),
    (Opaque(0, "A"), 1.0), (Opaque(0, "A"), True), (Opaque(0, "A"), np.ones(1)), (Opaque(0, "A"), [1.0]),
    (Opaque(0, "A"), {"a": 1.0}), ([Opaque(0, "A")], [1.0]), (2.0, "offload"), (2**500, 1.0), (2**500, 8),
]
# fmt: on


@pytest.mark.parametrize(("got", "expected"), WRONG)
def test_wrong_with_words(got, expected):
    found = difference(got, expected)
    assert found is not None
    assert found.got
    assert found.expected


def test_the_order_is_type_shape_finite_value():
    expected = np.ones((2, 2))
    assert "shape (3,)" in difference(np.full(3, math.nan), expected).got
    assert "nan" in difference(np.array([[5, math.nan], [1, 1]]), expected).got
    found = difference(np.array([[1.0, 1.0], [3.0, 1.0]]), expected)
    assert "(1, 0)" in found.got
    assert found.got_value == "3.0 at index (1, 0)"


@given(st.lists(FINITE, min_size=1, max_size=5), st.floats(1e-10, 1e3))
def test_arrays_are_compared_relative_to_the_largest_magnitude(values, factor):
    expected = np.array(values)
    scale = np.abs(expected).max()
    if scale > 1e-200:
        assert difference(expected + 0.9e-11 * scale, expected) is None
        assert difference(expected + (1.1e-11 + factor) * scale, expected) is not None


def test_a_made_up_type_name_tells_nothing():
    assert "secret" not in describe(Opaque(0, "secret 1.25"))
    assert describe(Opaque(0, "generator")) == "a generator object"


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_what_rounding_leaves_of_terms_that_cancel_is_zero(dtype):
    # With a single token the softmax is constant: its gradient is exactly 0, or 1e-16 by another route.
    eps = np.finfo(dtype).eps
    expected = (np.full(3, 5.0, dtype), np.zeros(3, dtype))
    assert difference((expected[0], np.full(3, 5 * 8 * eps, dtype)), expected) is None
    assert difference((expected[0], np.full(3, 5 * 1000 * eps, dtype)), expected).where == "[1]"


def test_zeros_that_are_due_alone_are_held_to_the_scale_of_the_question():
    zeros = np.zeros(2)
    assert difference(zeros + 1e-16, zeros, scale=1.0) is None
    assert difference(zeros + 1e-12, zeros, scale=1.0).got.startswith("an array of the right shape, not zero")
    assert difference(zeros + 1e-16, zeros) is not None


@given(st.recursive(st.floats(-1e6, 1e6), st.lists, max_leaves=8), st.floats(0, 1e6))
def test_the_largest_magnitude_is_found_however_deep_it_lies(nest, value):
    arrays = {"a": [np.array([-value]), (np.float32(2),)], "b": nest, "n": 10**9}
    assert largest_magnitude(arrays) == value
    assert largest_magnitude({"whole": np.arange(3)}) == 0
