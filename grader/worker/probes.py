"""Small measurements beside the student's code.

A probe takes and returns plain values, holds no expected value and gives no verdict: the check judges what it
returns. The first argument is the submission's `Loader`; the rest come from the check by name.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import math
import operator
import tracemalloc
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from grader.worker.loading import Loader

Layers = list[tuple[np.ndarray, ...]]

# Reads of the host buffer that are remembered; an honest backward makes one or two for each segment.
MAX_READS = 500


def available(student: Loader, function: str) -> None:
    """Run the file of a function, and do nothing with it."""
    student.function(function)


def mutated(student: Loader, function: str, names: list[str], args: tuple[Any, ...]) -> list[str]:
    """Call a function and return the names of the arguments it changed."""
    watch = _Watch(dict(zip(names, args, strict=True)))
    student.function(function)(*args)
    return watch.changed()


def pair_mutated(
    student: Loader, forward: str, backward: str, args: dict[str, Any], grad_output: np.ndarray, saved_name: str
) -> list[str]:
    """Run a forward and its backward and return the names of the arguments that changed.

    Only the arrays among what the forward has saved are watched: taking them out of a list as they are used is fine.

    Parameters
    ----------
    args
        Arguments of the forward, by name. The backward is called with grad_output, and with what was saved in the
        place of the first.
    """
    watch = _Watch({**args, "grad_output": grad_output})
    first, *others = args.values()
    _, saved = student.function(forward)(first, *others)
    watch_saved = _Watch({saved_name: _arrays(saved)})
    student.function(backward)(grad_output, saved, *others)
    return watch.changed() + watch_saved.changed()


def text_file(student: Loader, text: str) -> str | None:
    """Return the graded text of a name that stands in a file of its own; nothing of the submission is run."""
    return student.text_file(text)


def text_string(student: Loader, function: str) -> str | None:
    """Return the graded text that stands in a module; `function` is its name, by which its file is loaded."""
    return student.text_string(function)


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
    if isinstance(value, dict):
        value = list(value.values())
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


def under_spoilt_gradient(
    student: Loader,
    function: str,
    args: tuple[Any, ...],
    spoilt: str,
    apart_from: str,
    layer: int,
    position: int,
    index: int,
    factor: float,
    amount: float,
) -> dict[str, Any]:
    """Call a function twice: as things are, and while one value of what another function returns is another one.

    Parameters
    ----------
    spoilt
        The function whose result (grad_x, grads) is changed, wherever its global name is looked up.
    apart_from
        The function inside which it stays as it is: one of two paths may be built on the other.
    layer, position, index
        Which value: of grads[layer][position], or of grad_x where the layer is negative.
    factor, amount
        A value v becomes v * factor + amount.

    Returns
    -------
    dict
        `intact` and `spoilt`: what the function returned; `raised`: whether it raised instead the second time;
        `calls`: how often it called the spoilt one.
    """
    called = student.function(function)
    original = student.function(spoilt)
    intact = called(*_copied(args))
    other_path = student.function(apart_from)
    calls = inside = 0

    def as_it_is(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        nonlocal inside
        inside += 1
        try:
            return function(*args, **kwargs)
        finally:
            inside -= 1

    def spoiling(*args: Any, **kwargs: Any) -> Any:
        nonlocal calls
        if inside:
            return original(*args, **kwargs)
        calls += 1
        # A recursive function is spoilt once, not at every depth.
        grad_x, grads = as_it_is(original, *args, **kwargs)
        layers = [tuple(arrays) for arrays in grads]
        if layer < 0:
            return _with_changed_value(grad_x, index, factor, amount), layers
        arrays = list(layers[layer])
        arrays[position] = _with_changed_value(arrays[position], index, factor, amount)
        layers[layer] = tuple(arrays)
        return grad_x, layers

    report = {"intact": intact, "spoilt": None, "raised": False}
    other = functools.partial(as_it_is, other_path)
    with _rebound(student, spoilt, original, spoiling), _rebound(student, apart_from, other_path, other):
        try:
            report["spoilt"] = called(*_copied(args))
        except Exception:  # noqa: BLE001 - a function that raises has noticed
            report["raised"] = True
    return {**report, "calls": calls}


def _with_changed_value(array: np.ndarray, index: int, factor: float, amount: float) -> np.ndarray:
    changed = np.array(array)
    changed.flat[index] = changed.flat[index] * factor + amount
    return changed


def _copied(value: Any) -> Any:
    """Return a nest with copies of its arrays."""
    if isinstance(value, np.ndarray):
        return value.copy()
    if isinstance(value, list | tuple):
        return type(value)(_copied(item) for item in value)
    return value


@contextlib.contextmanager
def _rebound(student: Loader, name: str, old: object, new: object) -> Iterator[None]:
    """Bind a global name, and every other one of the same function, to something else in all modules."""
    before = [
        (vars(module), bound, value)
        for module in student.modules()
        for bound, value in vars(module).items()
        if bound == name or value is old
    ]
    for namespace, bound, _value in before:
        namespace[bound] = new
    try:
        yield
    finally:
        for namespace, bound, value in before:
            namespace[bound] = value


def offloaded(
    student: Loader,
    function: str,
    x: np.ndarray,
    params: Layers,
    k: int,
    grad_output: np.ndarray,
    before: list[Any],
    later: np.ndarray,
) -> dict[str, Any]:
    """Run exercise 4 forward and backward with a host buffer of our own.

    Between the two x is overwritten and another entry is appended: the caller may do both.

    Parameters
    ----------
    function
        The backward; the forward goes by its own name.
    before, later
        Entries that are in the buffer already, and the one that is appended.

    Returns
    -------
    dict
        `output`, `handles` and `gradients` as returned; `entries` of the buffer after the forward (and after x was
        overwritten) and `left` after the backward; `reads`: each position that the backward read, with the positions
        that were not None at that time; `changed`: names of other arguments that were changed.
    """
    forward, backward = student.function("forward_offloaded"), student.function(function)
    buffer = _HostBuffer(before)
    watch = _Watch({"x": x, "params": params})
    output, handles = forward(x, params, k, buffer)
    changed = watch.changed()
    output = _copied(output)
    x[...] = np.nan
    entries = _copied(buffer.entries())
    buffer.append(later)
    buffer.reads.clear()
    watch = _Watch({"params": params, "grad_output": grad_output})
    gradients = backward(grad_output, handles, buffer, params, k)
    return {
        "output": output,
        "handles": handles,
        "gradients": gradients,
        "entries": entries,
        "reads": buffer.reads,
        "left": buffer.entries(),
        "changed": list(dict.fromkeys(changed + watch.changed())),
    }


class _HostBuffer(list[Any]):
    """A list that remembers which positions were read, and which were not None at that time."""

    def __init__(self, entries: Iterable[Any]) -> None:
        super().__init__(entries)
        self.reads: list[tuple[int, list[int]]] = []

    def entries(self) -> list[Any]:
        """Return the entries; this is not a read."""
        return list(super().__iter__())

    def _note(self, positions: Iterable[int]) -> None:
        occupied = [position for position, entry in enumerate(self.entries()) if entry is not None]
        for position in positions:
            read = (position, occupied)
            if len(self.reads) < MAX_READS and read not in self.reads[-1:]:
                self.reads.append(read)

    def __getitem__(self, index: Any) -> Any:
        positions = range(len(self))
        self._note(positions[index] if isinstance(index, slice) else [positions[operator.index(index)]])
        return super().__getitem__(index)

    def __iter__(self) -> Iterator[Any]:
        return (self[position] for position in range(len(self)))

    def __reversed__(self) -> Iterator[Any]:
        return (self[position] for position in reversed(range(len(self))))

    def pop(self, index: Any = -1) -> Any:
        self._note([range(len(self))[operator.index(index)]])
        return super().pop(index)


def timed_transfers(
    student: Loader, function: str, n_bytes: float, seconds: list[float], repeats: int | None
) -> dict[str, Any]:
    """Let exercise 4 measure a bandwidth by a clock that only its transfers advance.

    Parameters
    ----------
    seconds
        How long each transfer takes; further ones take as long as the last.
    repeats
        None to leave it to the default.

    Returns
    -------
    dict
        `value`: what came back; `transfers` and `readings`: how often each of the two functions was called.
    """
    clock = _Clock(seconds)
    measure = student.function(function)
    if repeats is None:
        value = measure(clock.transfer, n_bytes, clock=clock.read)
    else:
        value = measure(clock.transfer, n_bytes, repeats, clock.read)
    return {"value": value, "transfers": clock.transfers, "readings": clock.readings}


class _Clock:
    """A clock that stands still unless something is transferred."""

    def __init__(self, seconds: list[float]) -> None:
        self.transfers = 0
        self.readings = 0
        self._seconds = seconds
        self._now = 1024.0

    def transfer(self) -> None:
        self._now += self._seconds[min(self.transfers, len(self._seconds) - 1)]
        self.transfers += 1

    def read(self) -> float:
        self.readings += 1
        return self._now


def saved_bytes(student: Loader, function: str, args: tuple[Any, ...], apart: int) -> int:
    """Run a forward and return how many bytes lie behind what it saves.

    An array counts with all of the memory that it keeps alive, several views of the same memory once, and a number
    or a character with the 8 bytes that it takes at least.

    Parameters
    ----------
    apart
        Position of the argument whose arrays, and copies of them, are not counted.
    """
    _, saved = student.function(function)(*args)
    uncounted = _arrays(args[apart])
    held = {}
    for array in _arrays(saved):
        owner = _owner(array)
        if not any(owner is each or np.array_equal(array, each) for each in uncounted):
            held[id(owner)] = owner.nbytes
    return sum(held.values()) + 8 * _loose_values(saved)


def _owner(array: np.ndarray) -> np.ndarray:
    """Return the array that owns the memory which an array looks at."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def _loose_values(value: object) -> int:
    """Count the numbers and characters of a nest outside arrays."""
    if isinstance(value, str | bytes):
        return len(value)
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list | tuple):
        return sum(map(_loose_values, value))
    return 0 if value is None or isinstance(value, np.ndarray) else 1
