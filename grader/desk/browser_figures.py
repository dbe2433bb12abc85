"""The figures of the page, from a student's files: the lesson's instruments measure, the page draws."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from grader.messages import _
from grader.worker.loading import Loader
from lesson.instruments import memory_timeline, sweep

Files = Mapping[str, bytes]

_SEGMENTS = (1, 7, 48)
_SWEPT_LAYERS = 64


def memory_over_time(files: Files) -> dict[str, Any]:
    """Return how much is alive in the course of step 3's forward and backward, in arrays of the size of x."""
    with _loaded(files, ("model_forward_checkpointed", "model_backward_checkpointed")) as (forward, backward):
        series = []
        for k in _SEGMENTS:
            line = memory_timeline(forward, backward, k, max(_SEGMENTS))
            looks = (*line.forward, *line.backward)
            points = [(index / len(looks), size) for index, size in enumerate(looks)]
            series.append({"label": f"k = {k}", "points": points})
    return {"series": series, "marks": []}


def segment_sweep(files: Files) -> dict[str, Any]:
    """Return memory and overhead of every segment size, by exercise 2's functions."""
    with _loaded(files, ("segment_memory", "segment_overhead")) as (memory, overhead):
        swept = sweep(memory, overhead, _SWEPT_LAYERS)
    points = [(float(size), 100 * float(cost)) for _k, size, cost in swept]
    return {
        "series": [{"label": _("{count} layers").format(count=_SWEPT_LAYERS), "points": points}],
        "marks": [k for k, *_ in swept],
    }


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
