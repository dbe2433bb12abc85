"""A chain of layers, trained with fewer activations in memory.

The backward pass needs what the forward pass computed, so the plain way keeps all of it. Gradient
checkpointing keeps a few arrays only and works the others out once more when they are needed: the gradients
stay the same, memory shrinks, and you pay in arithmetic. Here you build both ways and see that they agree.

A model is a list of L layers `(w1, b1, w2, b2)` of shapes `(d, m)`, `(m,)`, `(m, d)` and `(d,)`, with the
same d and m in every layer; its input is `(n, d)`, one row per example. Every function works for float64
and for float32, returns the type it was given, and leaves its inputs as they were.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.floating[Any]]
Layer = tuple[Array, Array, Array, Array]  # w1, b1, w2, b2, or their gradients in this order


def linear_forward(x: Array, w: Array, b: Array) -> Array:
    """Apply a linear map and its bias to every row of `x`.

    Parameters
    ----------
    x : (n, p) array
    w : (p, q) array
    b : (q,) array

    Returns
    -------
    (n, q) array of the type of `x`
    """
    # TODO step1: your code.
    raise NotImplementedError


def relu(x: Array) -> Array:
    """Replace the negative values of an array of any shape by zero, in a new array of the same type."""
    # TODO step1: your code.
    raise NotImplementedError


def layer_forward(x: Array, w1: Array, b1: Array, w2: Array, b2: Array) -> Array:
    """Apply one layer: a linear map to m hidden values, ReLU, and a linear map back to d values.

    Parameters
    ----------
    x : (n, d) array
    w1, b1, w2, b2 : arrays of shapes (d, m), (m,), (m, d), (d,)

    Returns
    -------
    (n, d) array of the type of `x`
    """
    # TODO step1: your code.
    raise NotImplementedError


def model_forward(x: Array, params: Sequence[Layer]) -> tuple[Array, list[Array]]:
    """Run the chain and keep the input of every layer.

    Parameters
    ----------
    x : (n, d) array
    params : list of L layers

    Returns
    -------
    output : (n, d) array
        What the last layer returns.
    activations : list of L + 1 arrays (n, d)
        `x`, then the output of every layer in order, so the last one is `output`.
    """
    # TODO step1: your code.
    raise NotImplementedError


def model_backward(
    grad_output: Array, activations: Sequence[Array], params: Sequence[Layer]
) -> tuple[Array, list[Layer]]:
    """Turn the gradient of the output into those of the input and of all parameters.

    The activations do not contain the hidden values of a layer: each layer's backward starts from its input.

    Parameters
    ----------
    grad_output : (n, d) array
        Gradient of the loss with respect to the output.
    activations : list of L + 1 arrays (n, d)
        As `model_forward` returned them.
    params : list of L layers

    Returns
    -------
    grad_x : (n, d) array
    grads : list of L tuples (gw1, gb1, gw2, gb2)
        In the order of `params` and of the same shapes.

    Notes
    -----
    ReLU has no derivative at exactly 0; as usual, it counts as 0 there.
    """
    # TODO step2: your code.
    raise NotImplementedError


def model_forward_checkpointed(x: Array, params: Sequence[Layer], k: int = 4) -> tuple[Array, list[Array]]:
    """Run the chain and keep one array for every k layers.

    The layers form segments of k; the last segment is shorter when k does not divide L, and the only one when
    k > L.

    Parameters
    ----------
    x : (n, d) array
    params : list of L layers
    k : int
        Layers per segment, at least 1.

    Returns
    -------
    output : (n, d) array
        The same as that of `model_forward`.
    saved_inputs : list of ceil(L / k) arrays (n, d)
        Entry j is the input of layer j * k.

    Notes
    -----
    Memory is measured too: beside the output and the saved inputs, no array of their size stays alive.

    References
    ----------
    Chen et al. 2016, "Training deep nets with sublinear memory cost", arXiv 1604.06174, Eq 1. There k is the
    number of segments; here it is their length.
    """
    # TODO step3: your code.
    raise NotImplementedError


def model_backward_checkpointed(
    grad_output: Array, saved_inputs: Sequence[Array], params: Sequence[Layer], k: int = 4
) -> tuple[Array, list[Layer]]:
    """Compute the gradients of `model_backward` from the saved inputs alone.

    Parameters
    ----------
    grad_output : (n, d) array
        Gradient of the loss with respect to the output.
    saved_inputs : list of arrays (n, d)
        As `model_forward_checkpointed` returned them for the same `params` and `k`.
    params : list of L layers
    k : int
        Layers per segment, at least 1. It may not divide L and may be larger than L.

    Returns
    -------
    grad_x : (n, d) array
    grads : list of L tuples (gw1, gb1, gw2, gb2)
        Both equal to what `model_backward` returns, to machine precision, for every k.

    Notes
    -----
    Memory and matrix products are measured too: no more than one segment is rebuilt at a time, and every
    layer is rebuilt once, whatever k is.

    References
    ----------
    Chen et al. 2016, arXiv 1604.06174, Eq 1: one level of segments. Griewank and Walther 2000, "Algorithm
    799: revolve", place the checkpoints so that a chain needs the fewest extra forwards that its memory
    allows.
    """
    # TODO step3: your code.
    raise NotImplementedError
