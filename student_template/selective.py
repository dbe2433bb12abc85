"""Which activations are worth recomputing.

Some activations are large and quick to compute again, others are small or expensive. Throwing away only the
first kind saves much of the memory for little time. You begin with a policy that decides by size and by cost,
one layer at a time.
"""

import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.floating[Any]]
Weights = Sequence[Array]  # wq, wk, wv, wo, each (h, h)
Saved = dict[str, Array]  # what a forward saves for the backward
Gradients = tuple[Array, tuple[Array, Array, Array, Array]]  # of the input, and of wq, wk, wv, wo


def should_recompute(layer_type: str, activation_bytes: float, recompute_flops_ratio: float) -> bool:
    """Decide whether the activations of a layer are thrown away and recomputed in the backward.

    Attention is worth it above 100 MB. A feed-forward layer is worth it above 500 MB, if computing it again
    costs less than a tenth of the layer's forward. All else is kept, and so is what lies exactly at a limit.

    Parameters
    ----------
    layer_type : str
        "attention", "ffn", or any other name.
    activation_bytes : float
        Size of the activations in bytes; 1 MB is 10^6 bytes.
    recompute_flops_ratio : float
        FLOPs of computing them again, as a fraction of the layer's forward.

    Returns
    -------
    bool

    Notes
    -----
    The idea is that of Korthikanti et al. 2022, arXiv 2205.05198, section 5. The limits are a rule of thumb
    that knows neither your memory nor your patience.
    """
    # TODO step7: your code.
    raise NotImplementedError


def given_split_heads(x: Array, n_heads: int) -> Array:
    """Turn (batch, seq, h) into (batch, heads, seq, h / heads). Given, not graded."""
    batch, seq, h = x.shape
    return x.reshape(batch, seq, n_heads, h // n_heads).swapaxes(1, 2)


def given_merge_heads(x: Array) -> Array:
    """Turn (batch, heads, seq, h / heads) back into (batch, seq, h). Given, not graded."""
    batch, n_heads, seq, size = x.shape
    return x.swapaxes(1, 2).reshape(batch, seq, n_heads * size)


def given_attention_forward(x: Array, weights: Weights, n_heads: int) -> tuple[Array, Saved]:
    """Apply multi-head self-attention without a mask, and save everything. Given, not graded.

    Parameters
    ----------
    x : (batch, seq, h) array
    weights : (wq, wk, wv, wo)
        Four (h, h) arrays. The heads divide h evenly.
    n_heads : int

    Returns
    -------
    y : (batch, seq, h) array
    saved : dict of arrays
        What `given_attention_backward` needs. `probs` is of shape (batch, heads, seq, seq).
    """
    wq, wk, wv, wo = weights
    q, k, v = (given_split_heads(x @ w, n_heads) for w in (wq, wk, wv))
    # Unlike np.sqrt, math.sqrt returns a plain float, by which a float32 array stays float32.
    scores = q @ k.swapaxes(-1, -2) / math.sqrt(q.shape[-1])
    # Shifting all scores of a row does not change their softmax. With the largest at 0, exp cannot overflow.
    probs = np.exp(scores - scores.max(axis=-1, keepdims=True))
    probs /= probs.sum(axis=-1, keepdims=True)
    context = given_merge_heads(probs @ v)
    return context @ wo, {"x": x, "q": q, "k": k, "v": v, "probs": probs, "context": context}


def given_attention_backward(grad_output: Array, saved: Saved, weights: Weights, n_heads: int) -> Gradients:
    """Turn the gradient of the output into those of the input and the weights. Given, not graded.

    Parameters
    ----------
    grad_output : (batch, seq, h) array
        Gradient of the loss with respect to `y`.
    saved : dict of arrays
        As `given_attention_forward` returned it.
    weights : (wq, wk, wv, wo)
    n_heads : int

    Returns
    -------
    grad_x : (batch, seq, h) array
    grads : (gwq, gwk, gwv, gwo)
    """
    x, q, k, v, probs, context = (saved[name] for name in ("x", "q", "k", "v", "probs", "context"))
    wq, wk, wv, wo = weights
    grad_heads = given_split_heads(grad_output @ wo.T, n_heads)
    grad_probs = grad_heads @ v.swapaxes(-1, -2)
    grad_scores = probs * (grad_probs - (grad_probs * probs).sum(axis=-1, keepdims=True))
    grad_scores /= math.sqrt(q.shape[-1])
    grad_q = given_merge_heads(grad_scores @ k)
    grad_k = given_merge_heads(grad_scores.swapaxes(-1, -2) @ q)
    grad_v = given_merge_heads(probs.swapaxes(-1, -2) @ grad_heads)
    grad_x = grad_q @ wq.T + grad_k @ wk.T + grad_v @ wv.T
    tokens = ((0, 1), (0, 1))  # a weight's gradient is summed over all tokens of all sequences
    return grad_x, (
        np.tensordot(x, grad_q, tokens),
        np.tensordot(x, grad_k, tokens),
        np.tensordot(x, grad_v, tokens),
        np.tensordot(context, grad_output, tokens),
    )


def attention_forward_selective(x: Array, weights: Weights, n_heads: int) -> tuple[Array, Saved]:
    """Apply the attention of `given_attention_forward`, and save no more than the size of its input.

    Parameters
    ----------
    x : (batch, seq, h) array
    weights : (wq, wk, wv, wo)
        Four (h, h) arrays.
    n_heads : int

    Returns
    -------
    y : (batch, seq, h) array
        The same as that of `given_attention_forward`, of the type of `x`.
    saved : dict of arrays; lists and tuples of them are fine too
        What your backward needs beside the weights, which it is handed again. It may hold no more bytes
        than `x`.

    References
    ----------
    Korthikanti et al. 2022, arXiv 2205.05198, section 5, drops the core of attention only, that is the
    arrays whose size grows with the square of the sequence. Here the projections go as well.
    """
    # TODO exercise3: your code.
    raise NotImplementedError


def attention_backward_selective(grad_output: Array, saved: Saved, weights: Weights, n_heads: int) -> Gradients:
    """Compute the gradients of `given_attention_backward` from the little that was saved.

    Parameters
    ----------
    grad_output : (batch, seq, h) array
        Gradient of the loss with respect to `y`.
    saved : dict of arrays
        As `attention_forward_selective` returned it.
    weights : (wq, wk, wv, wo)
    n_heads : int

    Returns
    -------
    grad_x : (batch, seq, h) array
    grads : (gwq, gwk, gwv, gwo)
        Both equal to those of `given_attention_backward`, to machine precision and in the same type. Scores
        of several hundred must not overflow.
    """
    # TODO exercise3: your code.
    raise NotImplementedError


def recompute_overhead(hidden: int, seq: int, scope: Literal["core", "module", "layer"]) -> float:
    """Count the FLOPs of recomputing a part of every layer, as a fraction of the step.

    With b sequences of s tokens and h hidden values, a layer's forward takes

    - 4 b s² h for the core of attention: scores, softmax and weighted sum;
    - 8 b s h² for its four projections;
    - 24 b s h² + 4 b s² h in all.

    A backward costs twice its forward.

    Parameters
    ----------
    hidden, seq : int
    scope : str
        What runs forward once more: "core", "module" (the core and the four projections) or "layer" (all).

    Returns
    -------
    float
        Extra FLOPs divided by those of forward and backward. The batch and the number of layers cancel.

    References
    ----------
    Korthikanti et al. 2022, arXiv 2205.05198, Eq 7 counts the same FLOPs.
    """
    # TODO exercise3: your code.
    raise NotImplementedError
