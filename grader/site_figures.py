"""Measure a student's own functions for the figures of the page: plain numbers, which the page draws."""

from __future__ import annotations

import contextlib
import gc
import sys
import tracemalloc
from collections.abc import Callable, Iterator, Mapping
from types import FrameType
from typing import Any

import numpy as np

from grader.worker.loading import Loader

Files = Mapping[str, bytes]
Points = list[tuple[float, float]]

# A chain whose activations weigh much more than its parameters.
_LAYERS, _ROWS, _WIDTH = 48, 1024, 16
_SEGMENTS = (1, 7, 48)
_SWEPT_LAYERS = 64


def memory_over_time(files: Files) -> dict[str, Any]:
    """Return how much is alive after every line of step 3's forward and backward, in arrays of the size of x."""
    names = ("model_forward_checkpointed", "model_backward_checkpointed")
    with _loaded(files, names) as (forward, backward):
        return {
            "series": [{"label": f"k = {k}", "points": _watched(files, forward, backward, k)} for k in _SEGMENTS],
            "marks": [],
        }


def segment_sweep(files: Files) -> dict[str, Any]:
    """Return memory and overhead of every segment size, by exercise 2's functions."""
    with _loaded(files, ("segment_memory", "segment_overhead")) as (memory, overhead):
        sizes = range(1, _SWEPT_LAYERS + 1)
        points = [(float(memory(_SWEPT_LAYERS, k)), 100 * float(overhead(_SWEPT_LAYERS, k))) for k in sizes]
    return {"series": [{"label": f"{_SWEPT_LAYERS} layers", "points": points}], "marks": list(sizes)}


FIGURES: dict[str, Callable[[Files], dict[str, Any]]] = {
    "memory_over_time": memory_over_time,
    "segment_sweep": segment_sweep,
}


@contextlib.contextmanager
def _loaded(files: Files, names: tuple[str, ...]) -> Iterator[list[Callable[..., Any]]]:
    loader = Loader(files, names)
    try:
        yield [loader.function(name) for name in names]
    finally:
        loader.close()


def _watched(files: Files, forward: Callable[..., Any], backward: Callable[..., Any], k: int) -> Points:
    """Run a step and take down, line by line, how much memory there is more than before it."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(_ROWS, _WIDTH))
    params = [
        (
            rng.normal(size=(_WIDTH, _WIDTH)) / _WIDTH**0.5, np.zeros(_WIDTH),
            rng.normal(size=(_WIDTH, _WIDTH)) / _WIDTH**0.5, np.zeros(_WIDTH),
        )
        for _ in range(_LAYERS)
    ]  # fmt: skip
    grad_output = np.ones_like(x)
    alive: list[int] = []

    def on_event(frame: FrameType, _event: str, _argument: object) -> Any:
        if frame.f_code.co_filename not in files:
            return None
        alive.append(tracemalloc.get_traced_memory()[0])
        return on_event

    gc.collect()
    tracemalloc.start(1)
    before = tracemalloc.get_traced_memory()[0]
    sys.settrace(on_event)
    try:
        _output, saved = forward(x, params, k)
        del _output
        backward(grad_output, saved, params, k)
    finally:
        sys.settrace(None)
        tracemalloc.stop()
    return _thinned([(index / len(alive), (size - before) / x.nbytes) for index, size in enumerate(alive)])


def _thinned(points: Points, most: int = 600) -> Points:
    """Return a curve with fewer points; of each stretch its highest, so that no peak is lost."""
    stride = max(1, len(points) // most)
    return [max(points[start : start + stride], key=lambda point: point[1]) for start in range(0, len(points), stride)]
