"""The figures of the page in the browser: which of a student's functions are measured, and what the page draws.

Every measurement returns plain values for JSON: `series`, each with a label and points (x, y), and `marks`, one for
each point of the only series or none.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from lesson.instruments import memory_timeline, sweep
from lesson.messages import _

_SEGMENTS = (1, 7, 48)
_SWEPT_LAYERS = 64


@dataclass(frozen=True)
class PageFigure:
    """A figure of the page.

    Attributes
    ----------
    functions
        Names of the student's functions that it measures.
    measure
        Takes these functions and returns what is drawn.
    """

    functions: tuple[str, ...]
    measure: Callable[..., dict[str, Any]]


def _memory_over_time(forward: Callable[..., Any], backward: Callable[..., Any]) -> dict[str, Any]:
    """Return how much is alive in the course of step 3's forward and backward, in arrays of the size of x."""
    series = []
    for k in _SEGMENTS:
        line = memory_timeline(forward, backward, k, max(_SEGMENTS))
        looks = (*line.forward, *line.backward)
        points = [(index / len(looks), size) for index, size in enumerate(looks)]
        series.append({"label": f"k = {k}", "points": points})
    return {"series": series, "marks": []}


def _segment_sweep(memory: Callable[..., Any], overhead: Callable[..., Any]) -> dict[str, Any]:
    """Return memory and overhead of every segment size, by exercise 2's functions."""
    swept = sweep(memory, overhead, _SWEPT_LAYERS)
    points = [(float(size), 100 * float(cost)) for _k, size, cost in swept]
    return {
        "series": [{"label": _("{count} layers").format(count=_SWEPT_LAYERS), "points": points}],
        "marks": [k for k, *_ in swept],
    }


FIGURES = {
    "memory_over_time": PageFigure(("model_forward_checkpointed", "model_backward_checkpointed"), _memory_over_time),
    "segment_sweep": PageFigure(("segment_memory", "segment_overhead"), _segment_sweep),
}
