"""Small measurements beside the student's code.

A probe takes and returns plain values, holds no expected value and gives no verdict: the check judges what it
returns. The first argument is the submission's `Loader`; the rest come from the check by name.
"""

from __future__ import annotations

import contextlib
import gc
import math
import tracemalloc
from collections.abc import Iterator
from typing import Any

import numpy as np

from grader.worker.loading import Loader

Layers = list[tuple[np.ndarray, ...]]


def mutated(student: Loader, function: str, names: list[str], args: tuple[Any, ...]) -> list[str]:
    """Call a function and return the names of the arguments it changed."""
    watch = _Watch(dict(zip(names, args, strict=True)))
    student.function(function)(*args)
    return watch.changed()


def checkpointed_mutated(student: Loader, x: np.ndarray, params: Layers, grad_output: np.ndarray, k: int) -> list[str]:
    """Run step 3 forward and backward and return the names of the arguments that changed.

    Of the saved inputs only the arrays are watched: taking them out of the list as they are used is fine.
    """
    watch = _Watch({"x": x, "params": params, "grad_output": grad_output})
    _, saved = student.function("model_forward_checkpointed")(x, params, k)
    watch_saved = _Watch({"saved_inputs": list(saved)})
    student.function("model_backward_checkpointed")(grad_output, saved, params, k)
    return watch.changed() + watch_saved.changed()


def prompt_file(student: Loader) -> str | None:
    """Return the prompt that stands in a file of its own; nothing of the submission is run."""
    return student.prompt_file()


def prompt_string(student: Loader, function: str) -> str | None:
    """Return the prompt that stands in a module; `function` is its name, by which its file is loaded."""
    del function
    return student.prompt_string()


class _Watch:
    """Remember arguments by name, to find out later which of them changed."""

    def __init__(self, named: dict[str, Any]) -> None:
        self._named = named
        self._before = {name: [(array, array.copy()) for array in _arrays(value)] for name, value in named.items()}

    def changed(self) -> list[str]:
        return [name for name, before in self._before.items() if self._differs(before, _arrays(self._named[name]))]

    @staticmethod
    def _differs(before: list[tuple[np.ndarray, np.ndarray]], now: list[np.ndarray]) -> bool:
        same_objects = len(before) == len(now) and all(a is b for (a, _), b in zip(before, now, strict=True))
        return not same_objects or any(array.tobytes() != copied.tobytes() for array, copied in before)


def _arrays(value: object) -> list[np.ndarray]:
    """Return the arrays of a nest, in order."""
    if isinstance(value, np.ndarray):
        return [value]
    if isinstance(value, list | tuple):
        return [array for item in value for array in _arrays(item)]
    return []


def checkpointed_forward_memory(student: Loader, x: np.ndarray, params: Layers, k: int) -> float:
    """Return what step 3's forward leaves alive, in units of one layer input."""
    forward = student.function("model_forward_checkpointed")
    with _traced():
        before, _ = tracemalloc.get_traced_memory()
        kept = forward(x, params, k)
        gc.collect()
        alive, _ = tracemalloc.get_traced_memory()
        del kept
    return (alive - before) / x.nbytes


def checkpointed_backward_memory(student: Loader, x: np.ndarray, params: Layers, k: int) -> float:
    """Return what step 3's backward adds at its peak, in units of one layer input."""
    backward = student.function("model_backward_checkpointed")
    grad_output = np.ones_like(x)
    with _traced():
        _output, saved = student.function("model_forward_checkpointed")(x, params, k)
        gc.collect()
        before, _ = tracemalloc.get_traced_memory()
        tracemalloc.reset_peak()
        backward(grad_output, saved, params, k)
        _, peak = tracemalloc.get_traced_memory()
    return (peak - before) / x.nbytes


@contextlib.contextmanager
def _traced() -> Iterator[None]:
    """Let tracemalloc count inside the block, whether or not somebody else uses it already."""
    gc.collect()
    was_tracing = tracemalloc.is_tracing()
    if not was_tracing:
        tracemalloc.start(1)
    try:
        yield
    finally:
        if not was_tracing:
            tracemalloc.stop()


def checkpointed_products(student: Loader, x: np.ndarray, params: Layers, k: int) -> float:
    """Count the matrix products of step 3's backward, per layer.

    One product is n * d * m multiply-adds, whatever functions of numpy carry it out.
    """
    _output, saved = student.function("model_forward_checkpointed")(_Counted.of(x), params, k)
    _Counted.multiply_adds = 0
    student.function("model_backward_checkpointed")(_Counted.of(np.ones(x.shape, x.dtype)), saved, params, k)
    n, d = x.shape
    m = params[0][0].shape[1]
    return float(_Counted.multiply_adds / (n * d * m * len(params)))


class _Counted(np.ndarray):
    """An array that counts multiply-adds of `@`, matmul, dot, inner, tensordot, vdot and einsum.

    Everything computed from it is counted too. Code that strips it (np.asarray, np.empty buffers) is counted too low,
    which never fails anybody.
    """

    multiply_adds = 0

    @classmethod
    def of(cls, array: np.ndarray) -> _Counted:
        return np.array(array).view(cls)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        plain = tuple(_strip(value) for value in inputs)
        if "out" in kwargs:
            kwargs["out"] = tuple(_strip(value) for value in kwargs["out"])
        result = getattr(ufunc, method)(*plain, **kwargs)
        if method == "__call__" and ufunc.signature is not None:
            _Counted.multiply_adds += _contracted(plain[0], plain[1], np.size(result))
        return _wrap(result)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        args, kwargs = _strip(args), _strip(kwargs)
        result = func(*args, **kwargs)
        if func in (np.dot, np.inner, np.vdot):
            _Counted.multiply_adds += _contracted(args[0], args[1], np.size(result))
        elif func is np.tensordot:
            # Every free axis is in the result, every contracted one in both operands.
            pairs = np.size(args[0]) * np.size(args[1])
            _Counted.multiply_adds += math.isqrt(pairs * np.size(result))
        elif func is np.einsum and isinstance(args[0], str):
            _Counted.multiply_adds += _einsum_work(args[0], args[1:])
        return _wrap(result)

    def dot(self, other: Any, out: Any = None) -> Any:
        return np.dot(self, other) if out is None else np.dot(self, other, out)


def _strip(value: Any) -> Any:
    if isinstance(value, _Counted):
        return value.view(np.ndarray)
    if isinstance(value, list | tuple):
        return type(value)(_strip(item) for item in value)
    if isinstance(value, dict):
        return {key: _strip(item) for key, item in value.items()}
    return value


def _wrap(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.view(_Counted)
    if isinstance(value, list | tuple):
        return type(value)(_wrap(item) for item in value)
    return value


def _contracted(a: Any, b: Any, result_size: int) -> int:
    """Return the multiply-adds of a product that sums over the last axis of its first operand."""
    if np.ndim(a) == 0 or np.ndim(b) == 0:
        return 0
    return int(result_size * np.shape(a)[-1])


def _einsum_work(subscripts: str, operands: tuple[Any, ...]) -> int:
    """Return the multiply-adds of a contraction; elementwise products are none."""
    inputs, arrow, output = subscripts.replace(" ", "").partition("->")
    terms = inputs.split(",")
    sizes: dict[str, int] = {}
    for term, operand in zip(terms, operands, strict=False):
        sizes.update(zip(term, np.shape(operand), strict=False))
    if not arrow:
        output = "".join(label for label in sizes if inputs.count(label) == 1)
    if len(terms) < 2 or set(sizes) <= set(output):
        return 0
    return math.prod(sizes.values())
