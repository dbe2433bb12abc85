"""What the drawers of all topics share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np

from grader.cases.case import Case

Reference: TypeAlias = Mapping[str, Callable[..., Any]]
Groups: TypeAlias = dict[str, list[Case]]
Drawer: TypeAlias = Callable[[np.random.Generator, Reference], Groups]

# A float32 case is one that the reference in float32 answers this well, relative to the largest magnitude.
FLOAT32_ERROR = 1e-6


def asked(reference: Reference, function: str, inputs: dict[str, Any]) -> Case:
    """Return a case with the reference's answer."""
    return Case(function, inputs, reference[function](**inputs))


def answered(function: str, draw: Callable[[], dict[str, Any]], answer: Callable[..., Any]) -> Case:
    """Draw inputs until the reference answers them well in their own dtype; the answer is computed in float64."""
    while True:
        inputs = draw()
        dtype = inputs["x"].dtype if "x" in inputs else inputs["grad_output"].dtype
        expected = answer(**as_dtype(inputs, np.float64))
        if dtype == np.float64:
            return Case(function, inputs, expected)
        if _close(answer(**inputs), expected):
            return Case(function, inputs, as_dtype(expected, dtype))


def as_dtype(value: Any, dtype: Any) -> Any:
    """Return a nest with every array converted."""
    if isinstance(value, np.ndarray):
        return value.astype(dtype)
    if isinstance(value, list | tuple):
        return type(value)(as_dtype(item, dtype) for item in value)
    if isinstance(value, dict):
        return {key: as_dtype(item, dtype) for key, item in value.items()}
    return value


def _close(mine: Any, right: Any) -> bool:
    if isinstance(right, list | tuple):
        return all(_close(a, b) for a, b in zip(mine, right, strict=True))
    if isinstance(right, dict):
        return all(_close(mine[key], right[key]) for key in right)
    scale = float(np.abs(right).max())
    return float(np.abs(mine.astype(np.float64) - right).max()) <= FLOAT32_ERROR * scale
