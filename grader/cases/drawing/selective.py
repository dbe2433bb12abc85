"""Which activations to recompute: step 7 and exercise 3."""

from __future__ import annotations

import functools
import math
from typing import Any, TypeAlias

import numpy as np

from grader.cases.case import Case
from grader.cases.drawing.drawer import Drawer, Groups, Reference, answered, asked

Sizes: TypeAlias = tuple[int, int, int, int]

# batch, sequence, heads, size of a head: all different; as many tokens as hidden values; as many tokens as heads,
# each of one value; one head, one sequence; one token.
SIZES: tuple[Sizes, ...] = ((2, 5, 3, 4), (3, 6, 3, 2), (2, 3, 3, 1), (1, 4, 1, 3), (2, 1, 2, 2))


def _step7(rng: np.random.Generator, reference: Reference) -> Groups:
    def policy(layer_type: str, activation_bytes: float, ratio: float) -> Case:
        return asked(
            reference,
            "should_recompute",
            {"layer_type": layer_type, "activation_bytes": activation_bytes, "recompute_flops_ratio": ratio},
        )

    def below() -> float:
        return float(rng.uniform(0.2, 0.95))

    def above() -> float:
        return float(rng.uniform(1.05, 4.0))

    return {
        "attention": [
            policy("attention", 100e6 * above(), 0.1 * below()),
            policy("attention", 100e6 * above(), 5 * above()),
            policy("attention", 100e6 * below(), 0.1 * below()),
            policy("attention", 100e6 * 1.01, 0.5),
            policy("attention", 100e6 * 1.04, 0.01),
            policy("attention", 100e6 * 0.97, 0.9),
            policy("attention", 1e12, 0.0),
        ],
        "ffn": [
            policy("ffn", 500e6 * above(), 0.1 * below()),
            policy("ffn", 500e6 * above(), 0.1 * above()),
            policy("ffn", 500e6 * below(), 0.1 * below()),
            policy("ffn", 500e6 * below(), 0.1 * above()),
            policy("ffn", 500e6 * 1.01, 0.099),
            policy("ffn", 500e6 * 0.99, 0.01),
            policy("ffn", 500e6 * 1.04, 0.101),
        ],
        "limits": [policy("attention", 100e6, 0.0), policy("ffn", 500e6, 0.0), policy("ffn", 500e6 * above(), 0.1)],
        "others": [
            policy(kind, 1e9 * above(), 0.1 * below()) for kind in ("norm", "residual", "embedding", "dropout", "moe")
        ],
    }


def _exercise3(rng: np.random.Generator, reference: Reference) -> Groups:
    def answer(x: np.ndarray, weights: Any, n_heads: int, grad_output: np.ndarray) -> dict[str, Any]:
        y, saved = reference["attention_forward_selective"](x, weights, n_heads)
        grad_x, grads = reference["attention_backward_selective"](grad_output, saved, weights, n_heads)
        return {"y": y, "grad_x": grad_x, "grads": grads}

    def attention(sizes: Sizes, dtype: Any = np.float64, score: float = 0.0) -> Case:
        draw = functools.partial(_attention, rng, sizes, dtype, score)
        return answered("attention_backward_selective", draw, answer)

    values = [*map(attention, SIZES), attention(SIZES[0], np.float32)]
    sloping = _attention(rng, (2, 3, 2, 2))
    directions = [rng.standard_normal(array.shape) for array in (sloping["x"], *sloping["weights"])]
    return {
        "output": values,
        "gradients": values,
        "slope": [Case("attention_backward_selective", {**sloping, "directions": directions}, answer(**sloping))],
        "large_scores": [attention(SIZES[0], score=850.0), attention(SIZES[1], score=-850.0)],
        "saved": [attention((2, 16, 2, 4)), attention((1, 12, 3, 2), np.float32)],
        "overhead": [
            asked(reference, "recompute_overhead", {"hidden": hidden, "seq": seq, "scope": scope})
            for hidden, seq in (
                (8192, 8192),
                (12288, 2048),
                (8192, 131072),
                (64 * int(rng.integers(8, 200)), int(rng.integers(200, 60_000))),
            )
            for scope in ("core", "module", "layer")
        ],
        "dtype": values[-2:],
        "inputs": values[-2:],
    }


def _attention(rng: np.random.Generator, sizes: Sizes, dtype: Any = np.float64, score: float = 0.0) -> dict[str, Any]:
    """Draw x, weights, n_heads and grad_output.

    Parameters
    ----------
    score
        Added to all scores. They stay as near to each other as they were, so that the softmax has a gradient.
    """
    batch, seq, n_heads, size = sizes
    h = n_heads * size
    x = rng.standard_normal((batch, seq, h))
    weights = [rng.standard_normal((h, h)) / math.sqrt(h) for _ in range(4)]
    if score:
        # A feature that is always 1 gives all queries and keys one and the same large entry in each head.
        x[..., 0] = 1.0
        large = math.sqrt(abs(score) * math.sqrt(size))
        for weight, entry in ((weights[0], large), (weights[1], math.copysign(large, score))):
            weight[:, ::size] = 0
            weight[0, ::size] = entry
    grad_output = rng.standard_normal((batch, seq, h))
    return {
        "x": x.astype(dtype),
        "weights": tuple(weight.astype(dtype) for weight in weights),
        "n_heads": n_heads,
        "grad_output": grad_output.astype(dtype),
    }


DRAWERS: dict[str, Drawer] = {"step7": _step7, "exercise3": _exercise3}
