"""A chain of layers, trained with fewer activations in memory.

The backward pass needs what the forward pass computed, so the plain way keeps all of it. Gradient
checkpointing keeps a few arrays only and works the others out once more when they are needed: the gradients
stay the same, memory shrinks, and you pay in arithmetic. Here you build both ways and see that they agree.

A model is a list of L layers `(w1, b1, w2, b2)` of shapes `(d, m)`, `(m,)`, `(m, d)` and `(d,)`, with the
same d and m in every layer; its input is `(n, d)`, one row per example. Every function works for float64
and for float32, returns the type it was given, and leaves its inputs as they were.
"""

import time
from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.floating[Any]]
Layer = tuple[Array, Array, Array, Array]  # w1, b1, w2, b2, or their gradients in this order
Gradients = tuple[Array, list[Layer]]  # of the model's input, and of the parameters of every layer
HostBuffer = list[Any]  # arrays that have left the device, and None for those that have been released


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


def model_backward(grad_output: Array, activations: Sequence[Array], params: Sequence[Layer]) -> Gradients:
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
) -> Gradients:
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


def max_gradient_difference(grads_a: Sequence[Sequence[Array]], grads_b: Sequence[Sequence[Array]]) -> float:
    """Find the largest absolute difference between two sets of gradients.

    Parameters
    ----------
    grads_a, grads_b : lists of L tuples of arrays
        As `model_backward` returns them.

    Returns
    -------
    float
        0.0 if all values agree. A NaN on either side must never look like agreement: the result is then
        `nan` or `inf`.

    Raises
    ------
    ValueError
        If the two differ in the number of layers, in the length of a tuple or in the shape of an array.
    """
    # TODO exercise1: your code.
    raise NotImplementedError


def verify_checkpointing(x: Array, params: Sequence[Layer], k: int) -> float:
    """Compare the gradients with checkpointing to those of keeping everything.

    The gradient of the output is an array of ones. It is your own functions that are on trial, so call
    `model_forward`, `model_backward`, `model_forward_checkpointed` and `model_backward_checkpointed` by
    these names: the exercise is graded by breaking one of them.

    Parameters
    ----------
    x : (n, d) array
    params : list of L layers
    k : int
        Layers per segment.

    Returns
    -------
    float
        The largest absolute difference over the gradients of `x` and of all parameters.
    """
    # TODO exercise1: your code.
    raise NotImplementedError


def forward_offloaded(x: Array, params: Sequence[Layer], k: int, host_buffer: HostBuffer) -> tuple[Array, list[int]]:
    """Run the chain and move the checkpoints to the memory of the host.

    As in `model_forward_checkpointed`, the input of every k-th layer is kept, but nothing of it stays on the
    device. A list plays the host; it is the one argument that is meant to change.

    Parameters
    ----------
    x : (n, d) array
    params : list of L layers
    k : int
        Layers per segment, at least 1. It may not divide L and may be larger than L.
    host_buffer : list
        A copy of each segment's input, ceil(L / k) in all, is appended. Entries that were there before stay
        untouched, be they arrays or None.

    Returns
    -------
    output : (n, d) array
        The same as that of `model_forward`.
    handles : list of int
        Where in `host_buffer` each segment's input lies, in the order of the segments.
    """
    # TODO exercise4: your code.
    raise NotImplementedError


def backward_offloaded(
    grad_output: Array, handles: Sequence[int], host_buffer: HostBuffer, params: Sequence[Layer], k: int
) -> Gradients:
    """Compute the gradients of `model_backward` from the inputs in the memory of the host.

    Parameters
    ----------
    grad_output : (n, d) array
        Gradient of the loss with respect to the output.
    handles : list of int
        As `forward_offloaded` returned them for the same `params` and `k`.
    host_buffer : list
        Each entry behind a handle is released, that is replaced by None, once it has been used and before the
        next one is read. No other entry changes.
    params : list of L layers
    k : int
        Layers per segment.

    Returns
    -------
    grad_x : (n, d) array
    grads : list of L tuples (gw1, gb1, gw2, gb2)
        Both equal to what `model_backward` returns, to machine precision.
    """
    # TODO exercise4: your code.
    raise NotImplementedError


def measure_bandwidth(
    transfer: Callable[[], object],
    n_bytes: float,
    repeats: int = 5,
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    """Measure how fast bytes move between device and host.

    Whatever else the machine does can only slow a transfer down, so the fastest one tells the most.

    Parameters
    ----------
    transfer : function without arguments
        Moves the bytes once. It is called exactly `repeats` times.
    n_bytes : float
        How many bytes one call moves.
    repeats : int
    clock : function without arguments
        Returns the time in seconds.

    Returns
    -------
    float
        Bytes per second of the fastest transfer.
    """
    # TODO exercise4: your code.
    raise NotImplementedError


def breakeven_bandwidth(n_bytes: float, recompute_flops: float, flops_per_second: float) -> float:
    """Find the bandwidth at which moving activations costs as much time as computing them again.

    Parameters
    ----------
    n_bytes : float
        Size of the activations. The time of moving them one way counts.
    recompute_flops : float
        FLOPs of computing them again.
    flops_per_second : float
        Speed of the device.

    Returns
    -------
    float, in bytes per second
    """
    # TODO exercise4: your code.
    raise NotImplementedError


def cheaper_choice(
    n_bytes: float, recompute_flops: float, bandwidth: float, flops_per_second: float
) -> Literal["offload", "recompute"]:
    """Decide whether to bring activations back from the host or to compute them again.

    Parameters
    ----------
    n_bytes, recompute_flops, flops_per_second : float
        As in `breakeven_bandwidth`.
    bandwidth : float
        Bytes per second between host and device.

    Returns
    -------
    "offload" or "recompute", whichever takes less time
        If both take the same time, "recompute".
    """
    # TODO exercise4: your code.
    raise NotImplementedError
