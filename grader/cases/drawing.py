"""Draw the inputs of every check from a random generator, with answers from the reference.

The reference is handed in as a namespace of functions, so that this module can be read without the solutions.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from grader.cases import policy_drawing
from grader.cases.case import Case

Reference: TypeAlias = Mapping[str, Callable[..., Any]]
Groups: TypeAlias = dict[str, list[Case]]
Drawer: TypeAlias = Callable[[np.random.Generator, Reference], Groups]
Sizes: TypeAlias = tuple[int, int, int, int]

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
# A float32 case is one that the reference in float32 answers this well, relative to the largest magnitude.
FLOAT32_ERROR = 1e-6

_DRAWERS: dict[str, Drawer] = {**policy_drawing.DRAWERS}


def draw_cases(exercise_id: str, seed: int, reference: Reference) -> Groups:
    """Draw the cases of one exercise; the same seed always gives the same ones."""
    generator = np.random.default_rng([seed, zlib.crc32(exercise_id.encode())])
    return _DRAWERS[exercise_id](generator, reference)


def _draws(exercise_id: str) -> Callable[[Drawer], Drawer]:
    def register(drawer: Drawer) -> Drawer:
        _DRAWERS[exercise_id] = drawer
        return drawer

    return register


# The chain of layers (steps 1 to 3)


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


def _as_dtype(value: Any, dtype: Any) -> Any:
    """Return a nest with every array converted."""
    if isinstance(value, np.ndarray):
        return value.astype(dtype)
    if isinstance(value, list | tuple):
        return type(value)(_as_dtype(item, dtype) for item in value)
    if isinstance(value, dict):
        return {key: _as_dtype(item, dtype) for key, item in value.items()}
    return value


def _close(mine: Any, right: Any) -> bool:
    if isinstance(right, list | tuple):
        return all(_close(a, b) for a, b in zip(mine, right, strict=True))
    if isinstance(right, dict):
        return all(_close(mine[key], right[key]) for key in right)
    scale = float(np.abs(right).max())
    return float(np.abs(mine.astype(np.float64) - right).max()) <= FLOAT32_ERROR * scale


def _answered(function: str, draw: Callable[[], dict[str, Any]], answer: Callable[..., Any]) -> Case:
    """Draw inputs until the reference answers them well in their own dtype; the answer is computed in float64."""
    while True:
        inputs = draw()
        dtype = inputs["x"].dtype if "x" in inputs else inputs["grad_output"].dtype
        expected = answer(**_as_dtype(inputs, np.float64))
        if dtype == np.float64:
            return Case(function, inputs, expected)
        if _close(answer(**inputs), expected):
            return Case(function, inputs, _as_dtype(expected, dtype))


def _each_size_and_dtype(draw: Callable[[Sizes, Any], Case]) -> list[Case]:
    """Return a float64 case of every size, and a float32 case of the first."""
    return [*(draw(sizes, np.float64) for sizes in SIZES), draw(SIZES[0], np.float32)]


@_draws("step1")
def _step1(rng: np.random.Generator, reference: Reference) -> Groups:
    def linear(sizes: Sizes, dtype: Any) -> Case:
        def draw() -> dict[str, Any]:
            chain = _chain(rng, sizes, dtype)
            return {"x": chain["x"], "w": chain["params"][0][0], "b": chain["params"][0][1]}

        return _answered("linear_forward", draw, reference["linear_forward"])

    def relu(sizes: Sizes, dtype: Any) -> Case:
        return _answered("relu", lambda: {"x": _chain(rng, sizes, dtype)["x"]}, reference["relu"])

    def layer(sizes: Sizes, dtype: Any) -> Case:
        def draw() -> dict[str, Any]:
            chain = _chain(rng, sizes, dtype)
            return {"x": chain["x"], **dict(zip(("w1", "b1", "w2", "b2"), chain["params"][0], strict=True))}

        return _answered("layer_forward", draw, reference["layer_forward"])

    def model(sizes: Sizes, dtype: Any) -> Case:
        def draw() -> dict[str, Any]:
            chain = _chain(rng, sizes, dtype)
            return {"x": chain["x"], "params": chain["params"]}

        return _answered("model_forward", draw, reference["model_forward"])

    groups = {
        "linear": _each_size_and_dtype(linear),
        "relu": _each_size_and_dtype(relu),
        "layer": _each_size_and_dtype(layer),
        "model": _each_size_and_dtype(model),
    }
    # The last two of each group: one float64 case, one float32 case.
    groups["dtype"] = groups["inputs"] = [case for group in groups.values() for case in group[-2:]]
    return groups


@_draws("step2")
def _step2(rng: np.random.Generator, reference: Reference) -> Groups:
    def backward(sizes: Sizes, dtype: Any, dead: bool = False) -> Case:
        def draw() -> dict[str, Any]:
            chain = _chain(rng, sizes, dtype)
            if dead:  # every pre-activation is exactly 0
                chain["params"] = [(np.zeros_like(w1), np.zeros_like(b1), w2, b2) for w1, b1, w2, b2 in chain["params"]]
            _, activations = reference["model_forward"](chain["x"], chain["params"])
            return {
                "grad_output": chain["grad_output"], "activations": activations, "params": chain["params"],
            }  # fmt: skip

        if dead:
            inputs = draw()
            return Case("model_backward", inputs, reference["model_backward"](**inputs))
        return _answered("model_backward", draw, reference["model_backward"])

    gradients = _each_size_and_dtype(backward)
    return {
        "input_gradient": gradients,
        "weights": gradients,
        "biases": gradients,
        "kink": [backward(sizes, np.float64, dead=True) for sizes in (SIZES[0], SIZES[5])],
        "dtype": gradients[-2:],
        "inputs": gradients[-2:],
    }


@_draws("step3")
def _step3(rng: np.random.Generator, reference: Reference) -> Groups:
    def answer(x: np.ndarray, params: Any, k: int, grad_output: np.ndarray) -> dict[str, Any]:
        output, activations = reference["model_forward"](x, params)
        grad_x, grads = reference["model_backward"](grad_output, activations, params)
        return {"output": output, "saved": activations[:-1:k], "grad_x": grad_x, "grads": grads}

    def checkpointed(n_layers: int, k: int, sizes: Sizes = SIZES[0], dtype: Any = np.float64) -> Case:
        def draw() -> dict[str, Any]:
            chain = _chain(rng, (*sizes[:3], n_layers), dtype)
            return {"x": chain["x"], "params": chain["params"], "k": k, "grad_output": chain["grad_output"]}

        return _answered("model_backward_checkpointed", draw, answer)

    dividing = [
        checkpointed(6, 2), checkpointed(8, 4, SIZES[1]), checkpointed(9, 3, SIZES[4]),
        checkpointed(6, 3, SIZES[3]), checkpointed(6, 2, dtype=np.float32),
    ]  # fmt: skip
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
        "output": values, "saved": values, "gradients": dividing, "uneven": uneven, "edges": edges,
        "forward_memory": memory, "backward_memory": memory,
        "recomputation": [
            Case(case.function, {"x": case.inputs["x"], "params": case.inputs["params"], "k": k})
            for k, case in narrow.items()
        ],
        "dtype": dividing[-2:], "inputs": dividing[-2:],
    }  # fmt: skip


# The cost model (steps 4 to 6): plain numbers, so the inputs are drawn from ranges that real models have.


def _asked(reference: Reference, function: str, inputs: dict[str, Any]) -> Case:
    return Case(function, inputs, reference[function](**inputs))


@_draws("step4")
def _step4(rng: np.random.Generator, reference: Reference) -> Groups:
    full, selective = [], []
    for _ in range(6):
        n_layers, flops = int(rng.integers(2, 130)), float(rng.uniform(0.5, 9.0))
        size = int(rng.integers(1, n_layers + 1))
        full.append(
            _asked(
                reference, "checkpoint_cost",
                {"n_layers": n_layers, "segment_size": size, "flops_per_layer": flops},
            )
        )  # fmt: skip
        selective.append(
            _asked(
                reference, "selective_checkpoint_cost",
                {"n_layers": n_layers, "attention_fraction": float(rng.uniform(0.02, 0.9)), "flops_per_layer": flops},
            )
        )  # fmt: skip
    n_layers = int(rng.integers(2, 130))
    full.append(_asked(reference, "checkpoint_cost", {"n_layers": n_layers, "segment_size": 2 * n_layers}))
    full.append(_asked(reference, "checkpoint_cost", {"n_layers": 1, "segment_size": 1}))
    selective.append(_asked(reference, "selective_checkpoint_cost", {"n_layers": n_layers}))
    return {"full": full, "overhead": full, "selective": selective, "selective_overhead": selective}


@_draws("step5")
def _step5(rng: np.random.Generator, reference: Reference) -> Groups:
    def model() -> dict[str, int]:
        return {
            "hidden": 64 * int(rng.integers(8, 200)),
            "seq": 256 * int(rng.integers(3, 60)),
            "batch": int(rng.integers(3, 9)),
            "bytes_per_value": int(rng.choice([1, 4, 8])),
        }

    store_all = [
        _asked(reference, "activation_memory_mb", {"n_layers": int(rng.integers(2, 130)), **model()}) for _ in range(5)
    ]
    checkpointed = []
    for segments, size in (
        (8, 1),
        (1, 12),
        (6, 4),
        (3, 16),
        (int(rng.integers(2, 12)), int(rng.integers(2, 12))),
    ):
        inputs = {"n_layers": segments * size, "segment_size": size, **model()}
        checkpointed.append(_asked(reference, "memory_after_checkpoint", inputs))
    long_segment = []
    for n_layers, size in ((4, 9), (8, 100), (1, 2)):
        inputs = {"n_layers": n_layers, "segment_size": size, **model()}
        case = _asked(reference, "memory_after_checkpoint", inputs)
        # The published lesson counts the segment's k tensors; a segment of the whole model holds L.
        shorter = case.expected * (1 + n_layers) / (1 + size)
        long_segment.append(Case(case.function, inputs, [case.expected, shorter]))
    size = int(rng.integers(2, 12))
    defaults = [
        _asked(reference, "activation_memory_mb", {"n_layers": int(rng.integers(2, 130))}),
        _asked(reference, "memory_after_checkpoint", {"n_layers": 5 * size, "segment_size": size}),
    ]
    return {
        "store_all": store_all, "checkpointed": checkpointed,
        "long_segment": long_segment, "defaults": defaults,
    }  # fmt: skip


@_draws("step6")
def _step6(rng: np.random.Generator, reference: Reference) -> Groups:
    def sizes(*values: int) -> list[Case]:
        return [_asked(reference, "optimal_segment", {"n_layers": value}) for value in values]

    drawn = (int(value) for value in rng.choice(np.arange(3, 400), 12, replace=False))
    return {"nearest": sizes(3, 7, 12, 13, 16, 21, 24, 64, 80, 96, 126, *drawn), "small": sizes(1, 2)}


@_draws("step7")
def _step7(rng: np.random.Generator, reference: Reference) -> Groups:
    def asked(layer_type: str, activation_bytes: float, ratio: float) -> Case:
        return _asked(
            reference, "should_recompute",
            {"layer_type": layer_type, "activation_bytes": activation_bytes, "recompute_flops_ratio": ratio},
        )  # fmt: skip

    def below() -> float:
        return float(rng.uniform(0.2, 0.95))

    def above() -> float:
        return float(rng.uniform(1.05, 4.0))

    return {
        "attention": [
            asked("attention", 100e6 * above(), 0.1 * below()), asked("attention", 100e6 * above(), 5 * above()),
            asked("attention", 100e6 * below(), 0.1 * below()), asked("attention", 100e6 * 1.01, 0.5),
            asked("attention", 100e6 * 1.04, 0.01), asked("attention", 100e6 * 0.97, 0.9), asked("attention", 1e12, 0.0),
        ],
        "ffn": [
            asked("ffn", 500e6 * above(), 0.1 * below()), asked("ffn", 500e6 * above(), 0.1 * above()),
            asked("ffn", 500e6 * below(), 0.1 * below()), asked("ffn", 500e6 * below(), 0.1 * above()),
            asked("ffn", 500e6 * 1.01, 0.099), asked("ffn", 500e6 * 0.99, 0.01), asked("ffn", 500e6 * 1.04, 0.101),
        ],
        "limits": [asked("attention", 100e6, 0.0), asked("ffn", 500e6, 0.0), asked("ffn", 500e6 * above(), 0.1)],
        "others": [
            asked(kind, 1e9 * above(), 0.1 * below()) for kind in ("norm", "residual", "embedding", "dropout", "moe")
        ],
    }  # fmt: skip
