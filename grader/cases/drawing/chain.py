"""The chain of layers: steps 1 to 3, exercises 1 and 4."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from grader.cases.case import Case
from grader.cases.drawing.drawer import Drawer, Groups, Reference, answered, asked

Sizes: TypeAlias = tuple[int, int, int, int]
Gradients: TypeAlias = list[tuple[np.ndarray, ...]]

# n rows, width d, hidden width m, L layers: all different, m = d, n = d, n = m, n = 1, one layer.
SIZES: tuple[Sizes, ...] = (
    (5, 4, 7, 3),
    (6, 3, 3, 2),
    (4, 4, 6, 2),
    (5, 3, 5, 4),
    (1, 4, 3, 2),
    (3, 5, 4, 1),
)
# No pre-activation of a case lies nearer to ReLU's kink than this: another order of summation flips no unit.
KINK_MARGIN = {np.dtype(np.float32): 2e-5, np.dtype(np.float64): 1e-9}


def _chain(rng: np.random.Generator, sizes: Sizes, dtype: Any = np.float64) -> dict[str, Any]:
    """Draw x, params and grad_output, away from ReLU's kink."""
    n, d, m, n_layers = sizes
    dtype = np.dtype(dtype)
    while True:
        x = rng.standard_normal((n, d)).astype(dtype)
        params = [
            (
                (rng.standard_normal((d, m)) / d**0.5).astype(dtype),
                rng.standard_normal(m).astype(dtype),
                (rng.standard_normal((m, d)) / m**0.5).astype(dtype),
                rng.standard_normal(d).astype(dtype),
            )
            for _ in range(n_layers)
        ]
        grad_output = rng.standard_normal((n, d)).astype(dtype)
        if _distance_from_kink(x, params) > KINK_MARGIN[dtype]:
            return {"x": x, "params": params, "grad_output": grad_output}


def _distance_from_kink(x: np.ndarray, params: Sequence[tuple[np.ndarray, ...]]) -> float:
    nearest = np.inf
    for layer in params:
        w1, b1, w2, b2 = (array.astype(np.float64) for array in layer)
        z = x.astype(np.float64) @ w1 + b1
        nearest = min(nearest, float(np.abs(z).min()))
        x = np.maximum(z, 0) @ w2 + b2
    return nearest


def _each_size_and_dtype(draw: Callable[[Sizes, Any], Case]) -> list[Case]:
    """Return a float64 case of every size, and a float32 case of the first."""
    return [*(draw(sizes, np.float64) for sizes in SIZES), draw(SIZES[0], np.float32)]


def _step1(rng: np.random.Generator, reference: Reference) -> Groups:
    def linear(sizes: Sizes, dtype: Any) -> Case:
        def draw() -> dict[str, Any]:
            chain = _chain(rng, sizes, dtype)
            return {"x": chain["x"], "w": chain["params"][0][0], "b": chain["params"][0][1]}

        return answered("linear_forward", draw, reference["linear_forward"])

    def relu(sizes: Sizes, dtype: Any) -> Case:
        return answered("relu", lambda: {"x": _chain(rng, sizes, dtype)["x"]}, reference["relu"])

    def layer(sizes: Sizes, dtype: Any) -> Case:
        def draw() -> dict[str, Any]:
            chain = _chain(rng, sizes, dtype)
            return {"x": chain["x"], **dict(zip(("w1", "b1", "w2", "b2"), chain["params"][0], strict=True))}

        return answered("layer_forward", draw, reference["layer_forward"])

    def model(sizes: Sizes, dtype: Any) -> Case:
        def draw() -> dict[str, Any]:
            chain = _chain(rng, sizes, dtype)
            return {"x": chain["x"], "params": chain["params"]}

        return answered("model_forward", draw, reference["model_forward"])

    groups = {
        "linear": _each_size_and_dtype(linear),
        "relu": _each_size_and_dtype(relu),
        "layer": _each_size_and_dtype(layer),
        "model": _each_size_and_dtype(model),
    }
    # The last two of each group: one float64 case, one float32 case.
    groups["dtype"] = groups["inputs"] = [case for group in groups.values() for case in group[-2:]]
    return groups


def _step2(rng: np.random.Generator, reference: Reference) -> Groups:
    def backward(sizes: Sizes, dtype: Any, dead: bool = False) -> Case:
        def draw() -> dict[str, Any]:
            chain = _chain(rng, sizes, dtype)
            if dead:  # every pre-activation is exactly 0
                chain["params"] = [(np.zeros_like(w1), np.zeros_like(b1), w2, b2) for w1, b1, w2, b2 in chain["params"]]
            _, activations = reference["model_forward"](chain["x"], chain["params"])
            return {
                "grad_output": chain["grad_output"],
                "activations": activations,
                "params": chain["params"],
            }

        if dead:
            inputs = draw()
            return Case("model_backward", inputs, reference["model_backward"](**inputs))
        return answered("model_backward", draw, reference["model_backward"])

    gradients = _each_size_and_dtype(backward)
    return {
        "input_gradient": gradients,
        "weights": gradients,
        "biases": gradients,
        "kink": [backward(sizes, np.float64, dead=True) for sizes in (SIZES[0], SIZES[5])],
        "dtype": gradients[-2:],
        "inputs": gradients[-2:],
    }


def _checkpointed(
    rng: np.random.Generator,
    reference: Reference,
    function: str,
    n_layers: int,
    k: int,
    sizes: Sizes = SIZES[0],
    dtype: Any = np.float64,
) -> Case:
    """Draw a chain that is to be run in segments of k layers; the answer holds the input of each segment."""

    def answer(x: np.ndarray, params: Any, k: int, grad_output: np.ndarray) -> dict[str, Any]:
        output, activations = reference["model_forward"](x, params)
        grad_x, grads = reference["model_backward"](grad_output, activations, params)
        return {"output": output, "saved": activations[:-1:k], "grad_x": grad_x, "grads": grads}

    def draw() -> dict[str, Any]:
        chain = _chain(rng, (*sizes[:3], n_layers), dtype)
        return {"x": chain["x"], "params": chain["params"], "k": k, "grad_output": chain["grad_output"]}

    return answered(function, draw, answer)


def _step3(rng: np.random.Generator, reference: Reference) -> Groups:
    checkpointed = functools.partial(_checkpointed, rng, reference, "model_backward_checkpointed")
    dividing = [
        checkpointed(6, 2),
        checkpointed(8, 4, SIZES[1]),
        checkpointed(9, 3, SIZES[4]),
        checkpointed(6, 3, SIZES[3]),
        checkpointed(6, 2, dtype=np.float32),
    ]
    uneven = [checkpointed(7, 3), checkpointed(5, 2, SIZES[2]), checkpointed(10, 4, SIZES[4])]
    edges = [
        checkpointed(4, 1),
        checkpointed(5, 5, SIZES[1]),
        checkpointed(3, 8, SIZES[3]),
        checkpointed(1, 1),
    ]
    values = [*dividing, *uneven, *edges]
    # d = m and n much larger: a layer input outweighs the gradients of all parameters.
    wide = _chain(rng, (1024, 8, 8, 48))
    narrow = {k: Case("model_backward_checkpointed", {**_chain(rng, (3, 4, 5, 16)), "k": k}) for k in (1, 4, 8, 16)}
    memory = [Case("model_backward_checkpointed", {"x": wide["x"], "params": wide["params"], "k": 4})]
    return {
        "output": values,
        "saved": values,
        "gradients": dividing,
        "uneven": uneven,
        "edges": edges,
        "forward_memory": memory,
        "backward_memory": memory,
        "recomputation": [
            Case(case.function, {"x": case.inputs["x"], "params": case.inputs["params"], "k": k})
            for k, case in narrow.items()
        ],
        "dtype": dividing[-2:],
        "inputs": dividing[-2:],
    }


def _exercise1(rng: np.random.Generator, reference: Reference) -> Groups:
    return {**_differences(rng, reference), **_verifications(rng, reference)}


def _differences(rng: np.random.Generator, reference: Reference) -> Groups:
    """Draw pairs of gradients for `max_gradient_difference`."""
    function = "max_gradient_difference"

    def gradients(sizes: Sizes, dtype: Any = np.float64) -> Gradients:
        chain = _chain(rng, sizes, dtype)
        return _gradients(reference, chain, chain["grad_output"])[1]

    def compared(grads_a: Any, grads_b: Any) -> Case:
        return asked(reference, function, {"grads_a": grads_a, "grads_b": grads_b})

    def different(grads_a: Any, grads_b: Any) -> Case:
        return Case(function, {"grads_a": grads_a, "grads_b": grads_b})

    def somewhere(array: np.ndarray) -> int:
        return int(rng.integers(array.size))

    grads = gradients(SIZES[0])
    scale = max(float(np.abs(array).max()) for layer in grads for array in layer)
    slightly_off = []
    for position, layer in enumerate((0, 2, 1, 2)):
        index = somewhere(grads[layer][position])
        off = _changed(grads, layer, position, index, amount=1e-12 * scale)
        slightly_off.append(compared(grads, off) if position % 2 else compared(off, grads))
    noisy = [tuple(a + 0.1 * rng.standard_normal(a.shape) for a in layer) for layer in grads]
    weight_off, bias_off = (
        _changed(noisy, 1, position, somewhere(grads[1][position]), amount=3 * scale) for position in (2, 3)
    )
    single = gradients(SIZES[0], np.float32)
    index = int(np.abs(single[2][0]).argmax())
    square = gradients(SIZES[1])
    short = gradients(SIZES[5])
    (gw1, gb1, gw2, gb2), *others = grads
    last = grads[-1]
    return {
        "largest": [
            compared(grads, [list(layer) for layer in grads]),
            compared(grads, weight_off),
            compared(grads, bias_off),
            *slightly_off,
            compared(grads, [grads[1], grads[0], grads[2]]),
            compared(square, [(square[0][0].T.copy(), *square[0][1:]), *square[1:]]),
            compared(_changed(short, 0, 2, somewhere(short[0][2]), amount=0.25), short),
            # Halving and doubling leave differences that are exact in float32 too.
            compared(single, _changed(single, 2, 0, index, factor=2.0)),
        ],
        # The first one has no difference in structure: a function that always raises has noticed nothing.
        "structure": [
            compared(grads, noisy),
            different(grads, grads[:-1]),
            different(grads[:-1], grads),
            different(grads, [(gw1, gb1, gw2), *others]),
            different([(gw1, gb1, gw2), *others], grads),
            different(grads, [(gw1, gb1, gw2, gb2, gb2), *others]),
            different(grads, [(gw1.T.copy(), gb1, gw2, gb2), *others]),
            different(grads, [(gw1, gb1, gw2, gb2[:1]), *others]),
            different([(gw1, gb1[None], gw2, gb2), *others], grads),
            different(grads, [*grads[:-1], (last[0], last[1], last[2].T.copy(), last[3])]),
        ],
        "not_finite": [
            Case(
                function,
                {
                    "grads_a": grads,
                    "grads_b": [tuple(array.copy() for array in layer) for layer in grads],
                    "layer": layer,
                    "position": position,
                    "index": index,
                },
            )
            for layer, position, index in ((0, 0, 0), (2, 3, somewhere(gb2)))
        ],
    }


def _verifications(rng: np.random.Generator, reference: Reference) -> Groups:
    """Draw chains for `verify_checkpointing`, and which gradient of the checkpointed path is spoilt."""

    def drawn(sizes: Sizes, dtype: Any = np.float64) -> tuple[dict[str, Any], np.ndarray, Gradients]:
        chain = _chain(rng, sizes, dtype)
        return {"x": chain["x"], "params": chain["params"]}, *_gradients(reference, chain, np.ones_like(chain["x"]))

    def spoilt(sizes: Sizes, k: int, layer: int, position: int = 0) -> Case:
        """Add to one value, of the gradient of x where the layer is -1."""
        chain, grad_x, grads = drawn(sizes)
        array = grad_x if layer < 0 else grads[layer][position]
        # To and fro, so that a difference without its sign is needed.
        amount = float(rng.uniform(0.1, 1.0)) * (-1 if (k + position) % 2 else 1)
        # In the smallest value, so that the largest ones do not tell.
        place = {"layer": layer, "position": position, "index": int(np.abs(array).argmin())}
        return Case("verify_checkpointing", {**chain, "k": k, **place, "factor": 1.0, "amount": amount}, abs(amount))

    def doubled(sizes: Sizes, k: int, layer: int) -> Case:
        """Double the largest value of a gradient, so that the difference tells what the gradient was."""
        chain, _grad_x, grads = drawn(sizes)
        index = int(np.abs(grads[layer][0]).argmax())
        place = {"layer": layer, "position": 0, "index": index}
        expected = float(np.abs(grads[layer][0]).max())
        return Case("verify_checkpointing", {**chain, "k": k, **place, "factor": 2.0, "amount": 0.0}, expected)

    def intact(sizes: Sizes, k: int, dtype: Any = np.float64) -> Case:
        chain, grad_x, grads = drawn(sizes, dtype)
        largest = max(float(np.abs(array).max()) for layer in ((grad_x,), *grads) for array in layer)
        return Case("verify_checkpointing", {**chain, "k": k}, largest)

    return {
        "parameters": [
            spoilt(SIZES[0], 2, 0, 0),
            spoilt(SIZES[3], 2, 3, 1),
            spoilt(SIZES[2], 1, 1, 2),
            spoilt(SIZES[3], 3, 1, 3),
            spoilt(SIZES[1], 5, 0, 1),
            doubled(SIZES[0], 2, 1),
        ],
        "input_gradient": [spoilt(SIZES[0], 2, -1), spoilt(SIZES[4], 1, -1)],
        "agreement": [
            intact(SIZES[0], 2),
            intact(SIZES[3], 2),
            intact(SIZES[1], 1),
            intact(SIZES[2], 5),
            intact(SIZES[0], 2, np.float32),
        ],
    }


def _gradients(reference: Reference, chain: dict[str, Any], grad_output: np.ndarray) -> tuple[np.ndarray, Gradients]:
    _, activations = reference["model_forward"](chain["x"], chain["params"])
    grad_x, grads = reference["model_backward"](grad_output, activations, chain["params"])
    return grad_x, grads


def _changed(
    grads: Gradients, layer: int, position: int, index: int, factor: float = 1.0, amount: float = 0.0
) -> Gradients:
    """Return gradients in which one value is another one."""
    changed = [[array.copy() for array in arrays] for arrays in grads]
    array = changed[layer][position]
    array.flat[index] = array.flat[index] * factor + amount
    return [tuple(arrays) for arrays in changed]


def _exercise4(rng: np.random.Generator, reference: Reference) -> Groups:
    checkpointed = functools.partial(_checkpointed, rng, reference, "backward_offloaded")
    chains = [
        checkpointed(6, 2),
        checkpointed(7, 3, SIZES[1]),
        checkpointed(4, 1, SIZES[4]),
        checkpointed(5, 5, SIZES[3]),
        checkpointed(3, 8, SIZES[2]),
        checkpointed(6, 2, dtype=np.float32),
    ]
    return {
        "gradients": chains,
        "buffer": chains[:-1],
        "bandwidth": [
            _transfers(rng, 5, None),
            _transfers(rng, 5, 5, 0),
            _transfers(rng, 1, 1),
            _transfers(rng, 7, 7, 6),
        ],
        "choice": _choices(rng, reference),
        "dtype": chains[-2:],
        "inputs": chains[-2:],
    }


def _transfers(rng: np.random.Generator, count: int, repeats: int | None, fastest: int | None = None) -> Case:
    """Draw how long each transfer takes; one more would be faster than all of them.

    Parameters
    ----------
    repeats
        What is asked for; None to leave it to the default.
    fastest
        Which one is; by default one that is neither the first nor the last.
    """
    # Whole multiples of a 64th, so that differences of times are exact.
    seconds = [int(value) / 64 for value in rng.integers(100, 600, count)]
    fastest = count // 2 if fastest is None else fastest
    seconds[fastest] = int(rng.integers(10, 90)) / 64
    n_bytes = int(rng.integers(1, 4000)) * 10**6
    asked_for = {} if repeats is None else {"repeats": repeats}
    inputs = {"n_bytes": n_bytes, "seconds": [*seconds, *(1 / 64,) * 3], **asked_for}
    return Case("measure_bandwidth", inputs, n_bytes / seconds[fastest])


def _choices(rng: np.random.Generator, reference: Reference) -> list[Case]:
    def work() -> dict[str, float]:
        return {
            "n_bytes": float(rng.uniform(1e6, 1e10)),
            "recompute_flops": float(rng.uniform(1e9, 1e14)),
            "flops_per_second": float(rng.uniform(1e12, 1e15)),
        }

    def choice(bandwidth: float, n_bytes: float, recompute_flops: float, flops_per_second: float) -> Case:
        inputs = {
            "n_bytes": n_bytes,
            "recompute_flops": recompute_flops,
            "bandwidth": bandwidth,
            "flops_per_second": flops_per_second,
        }
        return asked(reference, "cheaper_choice", inputs)

    breakeven = [asked(reference, "breakeven_bandwidth", work()) for _ in range(3)]
    clear = [
        choice(case.expected * ratio, **case.inputs)
        for case, ratio in zip(breakeven * 2, (0.3, 0.8, 1.25, 3.0, 1.6, 0.6), strict=True)
    ]
    ties = []
    for _ in range(2):
        size, flops, speed = (2.0 ** int(rng.integers(low, low + 8)) for low in (22, 34, 40))
        ties.append(choice(size * speed / flops, size, flops, speed))
    return [*breakeven, *clear, *ties]


DRAWERS: dict[str, Drawer] = {
    "step1": _step1,
    "step2": _step2,
    "step3": _step3,
    "exercise1": _exercise1,
    "exercise4": _exercise4,
}
