"""Measure a student's own functions, and tabulate what the formulas of the text say.

Only numbers come out of here; `lesson.figures` draws them, and so does the page in the browser. Memory is counted in
arrays of the size of `x`, as everywhere in this course.
"""

from __future__ import annotations

import gc
import time
import tracemalloc
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lesson.policy_cost import policy_cost

# A planner may take ten seconds for one plan; a figure asks for many.
PLANNING_SECONDS = 8.0
# The chain that is measured, as in the text's table: a layer input outweighs the gradients of all parameters.
ROWS, WIDTH = 2048, 16


@dataclass(frozen=True)
class Timeline:
    """Live memory while a checkpointed step runs, in arrays of the size of x.

    Attributes
    ----------
    n_layers, k
        The lengths of the chain and of its segments.
    forward, backward
        The most that was alive between two looks, one look for each use of a weight or bias.
    after_forward, peak
        What the forward leaves alive, and the most there ever was.
    """

    n_layers: int
    k: int
    forward: tuple[float, ...]
    backward: tuple[float, ...]
    after_forward: float
    peak: float


def memory_timeline(
    forward: Callable[..., Any], backward: Callable[..., Any], k: int = 4, n_layers: int = 48
) -> Timeline:
    """Run a checkpointed step and look at the live memory whenever a weight or bias is used.

    Parameters
    ----------
    forward, backward
        `model_forward_checkpointed` and `model_backward_checkpointed`, as in step 3.
    k, n_layers
        Layers per segment, and in all.
    """
    rng = np.random.default_rng(0)
    meter = _Meter()
    params = [
        tuple(
            meter.watch(array / WIDTH**0.5)
            for array in (
                rng.normal(size=(WIDTH, WIDTH)),
                np.zeros(WIDTH),
                rng.normal(size=(WIDTH, WIDTH)),
                np.zeros(WIDTH),
            )
        )
        for _layer in range(n_layers)
    ]
    x = rng.normal(size=(ROWS, WIDTH))
    grad_output = np.ones_like(x)
    with meter:
        output, saved = forward(x, params, k)
        gc.collect()
        meter.look()
        first = len(meter.peaks)
        after_forward = meter.now()
        result = backward(grad_output, saved, params, k)
        meter.look()
    del output, saved, result
    peaks = tuple(peak / x.nbytes for peak in meter.peaks)
    return Timeline(n_layers, k, peaks[:first], peaks[first:], after_forward / x.nbytes, max(peaks))


class _Meter:
    """Looks at the memory that numpy has reported since it was switched on."""

    def __init__(self) -> None:
        self.peaks: list[int] = []
        self._start = 0
        self._on = False
        self._was_tracing = False

    def watch(self, array: np.ndarray) -> np.ndarray:
        """Return the array, such that every use of it is a look."""
        watched = array.view(_Watched)
        watched.meter = self
        return watched

    def __enter__(self) -> None:
        gc.collect()
        self._was_tracing = tracemalloc.is_tracing()
        if not self._was_tracing:
            tracemalloc.start(1)
        tracemalloc.reset_peak()
        self._start = tracemalloc.get_traced_memory()[0]
        self._on = True

    def __exit__(self, *_error: object) -> None:
        self._on = False
        if not self._was_tracing:
            tracemalloc.stop()

    def now(self) -> int:
        """Return the bytes that are alive."""
        return tracemalloc.get_traced_memory()[0] - self._start

    def look(self) -> None:
        """Note the most that was alive since the last look."""
        if self._on:
            self.peaks.append(tracemalloc.get_traced_memory()[1] - self._start)
            tracemalloc.reset_peak()


class _Watched(np.ndarray):
    """A parameter whose uses are noticed; what is computed from it is a plain array."""

    meter: _Meter | None = None

    def __array_finalize__(self, source: object) -> None:
        self.meter = getattr(source, "meter", None)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        if "out" in kwargs:
            kwargs["out"] = tuple(_plain(value) for value in kwargs["out"])
        result = getattr(ufunc, method)(*(_plain(value) for value in inputs), **kwargs)
        if self.meter is not None:
            self.meter.look()
        return result

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        result = func(*_plain(args), **_plain(kwargs))
        if self.meter is not None:
            self.meter.look()
        return result


def _plain(value: Any) -> Any:
    if isinstance(value, _Watched):
        return value.view(np.ndarray)
    if isinstance(value, list | tuple):
        return type(value)(_plain(item) for item in value)
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return value


def sweep(
    segment_memory: Callable[..., float],
    segment_overhead: Callable[..., float],
    n_layers: int = 64,
    layer_units: float = 17,
) -> list[tuple[int, float, float]]:
    """Return segment size, memory and overhead for every segment size, by the student's own model."""
    return [
        (k, float(segment_memory(n_layers, k, layer_units)), float(segment_overhead(n_layers, k)))
        for k in range(1, n_layers + 1)
    ]


def layer_shares(hidden: int = 12288, heads: int = 96, seq: int = 2048) -> dict[str, tuple[float, float]]:
    """Return for each part of a layer its share of the kept bytes and of the forward's FLOPs.

    Bytes at 16 bit after Korthikanti et al. 2022, Eq 1: 34 + 5as/h in units of s·b·h. FLOPs after their appendix A:
    24·b·s·h² + 4·b·s²·h.
    """
    core = 5 * heads * seq / hidden
    size = {"core": core, "attention": 11.0, "mlp": 19.0, "norms": 4.0}
    # In units of b·s·h.
    work = {"core": 4.0 * seq, "attention": 8.0 * hidden, "mlp": 16.0 * hidden, "norms": 0.0}
    return {part: (size[part] / sum(size.values()), work[part] / sum(work.values())) for part in size}


@dataclass(frozen=True)
class Budget:
    """What a planner makes of one memory budget.

    Attributes
    ----------
    memory_gb
        The budget.
    counts
        How many layers have each policy; empty when nothing fits.
    overhead
        Extra time as a fraction of a step.
    """

    memory_gb: float
    counts: Mapping[str, int]
    overhead: float


def budgets(
    plan_policy: Callable[..., Sequence[str]], config: Mapping[str, Any], memories_gb: Iterable[float]
) -> list[Budget]:
    """Return what the student's planner does with each budget, as far as it gets in a few seconds."""
    found: list[Budget] = []
    ends = time.monotonic() + PLANNING_SECONDS
    for memory_gb in memories_gb:
        if time.monotonic() > ends:
            break
        try:
            plan = list(plan_policy(dict(config), memory_gb))
        except ValueError:  # nothing fits
            found.append(Budget(memory_gb, {}, float("nan")))
        else:
            counts = {policy: plan.count(policy) for policy in dict.fromkeys(plan)}
            found.append(Budget(memory_gb, counts, policy_cost(config, plan).overhead))
    return found
