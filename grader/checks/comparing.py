"""Compare what came back with what was expected: type, then shape, then finite, then value.

Every difference is told twice: without values, for inputs a student must not see, and with them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from grader.messages import _, ngettext
from grader.worker.wire import Opaque

# Relative to the largest magnitude of the expected array.
ARRAY_TOLERANCE = {"float32": 1e-5, "float64": 1e-11}
NUMBER_TOLERANCE = 1e-9
# Roundings of the largest number in the question and its answer. Where values cancel, so that an array is due that is
# zero or tiny, what rounding leaves has the size of the terms, and differs from processor to processor.
FLOOR_ROUNDINGS = 64

# Types whose names say something and cannot have been made up to smuggle out an input.
_NAMED_TYPES = frozenset(
    [
        "bytes",
        "complex",
        "dict",
        "filter",
        "frozenset",
        "function",
        "generator",
        "list",
        "map",
        "method",
        "range",
        "set",
        "slice",
        "type",
        "zip",
    ]
)


@dataclass(frozen=True)
class Difference:
    """The first difference between an answer and the expected one.

    Attributes
    ----------
    where
        Path inside the answer, such as "[1][0]" or "grads[0].gb1"; empty for the answer itself.
    got, expected
        What came back and what was due, without values.
    got_value, expected_value
        The same with values, where there are any to tell.
    """

    where: str
    got: str
    expected: str
    got_value: str = ""
    expected_value: str = ""


class Parts(dict[str, Any]):
    """Named parts of an answer, for a check that is about some of them; a path through it reads `grads[0].gb1`."""


def largest_magnitude(*values: Any) -> float:
    """Return the largest magnitude in the floating arrays of some nests of plain values; 0 where there are none."""
    largest = 0.0
    for value in values:
        if isinstance(value, np.ndarray):
            if value.dtype.kind == "f" and value.size:
                largest = max(largest, float(np.abs(value).max()))
        elif isinstance(value, Mapping):
            largest = max(largest, largest_magnitude(*value.values()))
        elif isinstance(value, list | tuple):
            largest = max(largest, largest_magnitude(*value))
    return largest if math.isfinite(largest) else 0.0


def difference(
    got: Any, expected: Any, tolerance: float | None = None, scale: float | None = None, where: str = ""
) -> Difference | None:
    """Return the first difference, or None when the answer is right.

    Parameters
    ----------
    got
        A plain value.
    expected
        None asks for None, arrays for floating arrays; floats, ints and bools for a number of that kind, plain or
        NumPy's; lists and tuples for either; dicts for the same keys, others being ignored.
    tolerance
        For arrays, relative to the largest expected magnitude; by default the one of the expected array's dtype.
    scale
        The largest number in the question and its answer, whose roundings are never held against an array; by default
        the largest in the expected answer.
    """
    if scale is None:
        scale = largest_magnitude(expected)
    if expected is None:
        return _exact(got, None, got is None, _("None"), where)
    if isinstance(expected, np.ndarray):
        return _array_difference(got, expected, tolerance, scale, where)
    if isinstance(expected, list | tuple):
        return _sequence_difference(got, expected, tolerance, scale, where)
    if isinstance(expected, Mapping):
        return _dict_difference(got, expected, tolerance, scale, where)
    if isinstance(expected, bool):
        return _exact(got, expected, _is_bool(got), _("True or False"), where)
    if isinstance(expected, str):
        return _exact(got, expected, isinstance(got, str), _("a string"), where)
    if isinstance(expected, int):
        return _exact(got, expected, is_number(got) and _integral(got), _("a whole number"), where)
    return _number_difference(got, float(expected), where)


def is_number(value: Any) -> bool:
    """Return whether a plain value is a real number: an int, a float, or NumPy's of any width, but not a bool."""
    if _is_scalar_array(value):
        value = value[()]
    return isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)


def describe(value: Any) -> str:
    """Return what kind of thing a value is, without telling its value."""
    if value is None:
        return _("None")
    if isinstance(value, Opaque):
        return _describe_opaque(value.kind)
    if isinstance(value, np.ndarray):
        return _("an array of shape {shape} and dtype {dtype}").format(shape=value.shape, dtype=value.dtype)
    if _is_bool(value):
        return _("a bool")
    if isinstance(value, str):
        return _("a string")
    if isinstance(value, complex | np.complexfloating):
        return _("a complex number")
    if is_number(value):
        return _("a whole number") if isinstance(value, int | np.integer) else _("a number")
    if isinstance(value, list | tuple):
        kind = "list" if isinstance(value, list) else "tuple"
        return ngettext("a {kind} of {count} item", "a {kind} of {count} items", len(value)).format(
            kind=kind, count=len(value)
        )
    return _("a dict")


def _describe_opaque(kind: str) -> str:
    """Describe a value that is not plain; a name that a student has chosen could tell what must stay hidden."""
    if kind in _NAMED_TYPES:
        return _("a {type} object").format(type=kind)
    if kind.startswith("array of dtype "):
        return _("an array of something else than numbers")
    if kind.startswith("array of shape "):
        return _("an array too large to look at")
    return _("an object that is not a plain value")


def _array_difference(
    got: Any, expected: np.ndarray, tolerance: float | None, scale: float, where: str
) -> Difference | None:
    due = _("an array of shape {shape}").format(shape=expected.shape)
    if not isinstance(got, np.ndarray) and expected.ndim == 0 and is_number(got):
        got = np.asarray(got, dtype=float)
    if not isinstance(got, np.ndarray) or got.shape != expected.shape:
        return Difference(where, describe(got), due, _name(got))
    if got.dtype.kind != "f":
        return Difference(where, describe(got), _("an array of floating numbers"))
    if not np.isfinite(got).all():
        index = _index(~np.isfinite(got))
        text = _("{value} at index {index}").format(value=got[index], index=_plain(index))
        return Difference(where, text, _("finite numbers only"))
    if expected.size == 0:
        return None
    if tolerance is None:
        tolerance = ARRAY_TOLERANCE.get(expected.dtype.name, ARRAY_TOLERANCE["float64"])
    error = np.abs(got.astype(np.float64) - expected.astype(np.float64))
    largest = float(np.abs(expected).max())
    floor = FLOOR_ROUNDINGS * float(np.finfo(expected.dtype).eps) * scale
    if error.max() <= max(tolerance * largest, floor):
        return None
    # The first of equal errors: which one is larger in its last bits depends on the machine.
    index = _index(error >= error.max() * (1 - 1e-9))
    size = (
        _("off by {relative:.2g} of the largest expected magnitude").format(relative=float(error.max()) / largest)
        if largest
        else _("not zero")
    )
    text = _("{what}, {size} at index {index}").format(
        what=_("an array of the right shape"), size=size, index=_plain(index)
    )
    return Difference(
        where,
        text,
        _("an array of shape {shape}, equal to within {tolerance:g}").format(shape=expected.shape, tolerance=tolerance),
        _("{value} at index {index}").format(value=repr(got[index].item()), index=_plain(index)),
        _("{value} at index {index}").format(value=repr(expected[index].item()), index=_plain(index)),
    )


def _sequence_difference(
    got: Any, expected: list[Any] | tuple[Any, ...], tolerance: float | None, scale: float, where: str
) -> Difference | None:
    due = ngettext("a list or tuple of {count} item", "a list or tuple of {count} items", len(expected)).format(
        count=len(expected)
    )
    if not isinstance(got, list | tuple) or len(got) != len(expected):
        return Difference(where, describe(got), due, _name(got))
    for index, (mine, right) in enumerate(zip(got, expected, strict=True)):
        found = difference(mine, right, tolerance, scale, f"{where}[{index}]")
        if found:
            return found
    return None


def _dict_difference(
    got: Any, expected: Mapping[str, Any], tolerance: float | None, scale: float, where: str
) -> Difference | None:
    if not isinstance(got, dict):
        return Difference(where, describe(got), _("a dict with the keys {keys}").format(keys=", ".join(expected)))
    for key, right in expected.items():
        if key not in got:
            return Difference(
                where,
                _("a dict without the key {key}").format(key=repr(key)),
                _("a dict with the keys {keys}").format(keys=", ".join(expected)),
            )
        inside = f"{where}.{key}".lstrip(".") if isinstance(expected, Parts) else f"{where}[{key!r}]"
        found = difference(got[key], right, tolerance, scale, inside)
        if found:
            return found
    return None


def _exact(got: Any, expected: Any, right_type: bool, due: str, where: str) -> Difference | None:
    if not right_type:
        return Difference(where, describe(got), due, _value(got), repr(expected))
    if got == expected:
        return None
    return Difference(
        where, _("{what}, but not the right one").format(what=describe(got)), due, _value(got), repr(expected)
    )


def _number_difference(got: Any, expected: float, where: str) -> Difference | None:
    if not is_number(got):
        return Difference(where, describe(got), _("a number"), _value(got), repr(expected))
    number = float(got)
    if math.isfinite(number) and math.isclose(number, expected, rel_tol=NUMBER_TOLERANCE, abs_tol=1e-300):
        return None
    return Difference(
        where,
        _("{what}, but not the right one").format(what=describe(got)),
        _("a number"),
        _value(got),
        repr(expected),
    )


def _name(got: Any) -> str:
    """Return what a value calls itself when it is not plain; for those who may see it."""
    return repr(got) if isinstance(got, Opaque) else ""


def _value(got: Any) -> str:
    if isinstance(got, np.generic):
        got = got.item()
    return repr(got)[:200] if not isinstance(got, np.ndarray) else ""


def _is_bool(value: Any) -> bool:
    return isinstance(value, bool | np.bool_)


def _is_scalar_array(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.shape == ()


def _integral(value: Any) -> bool:
    return math.isfinite(value) and float(value) == int(value)


def _index(mask: np.ndarray) -> tuple[int, ...]:
    return tuple(int(i) for i in np.argwhere(mask)[0])


def _plain(index: tuple[int, ...]) -> str:
    return str(index[0]) if len(index) == 1 else str(index)
