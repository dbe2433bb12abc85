"""Sizes and rates with their units. Nothing is guessed: 40GB is not 40GiB, and a bare number is refused."""

import math
import re

_DECIMAL = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "P": 10**15}
_BINARY = {"Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40, "Pi": 2**50}
_QUANTITY = re.compile(r"\s*(?P<number>[0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?|\.[0-9]+)\s*(?P<unit>[^\s0-9.].*?)?\s*")


def parse_bytes(text: str) -> int:
    """Read a size in bytes.

    Parameters
    ----------
    text
        A number and one of B, kB, MB, GB, TB, PB (powers of 1000) or KiB, MiB, GiB, TiB, PiB (powers of
        1024), such as "40GB" or "37.5 GiB".

    Returns
    -------
    int, rounded to a whole byte

    Raises
    ------
    ValueError
        With a sentence, when the unit is missing or ambiguous, or the number is not positive.
    """
    units = {f"{prefix}B": factor for prefix, factor in {**_DECIMAL, **_BINARY}.items()}
    return round(_parse(text, units, "a size", "40GB (10^9 bytes each) or 40GiB (2^30 bytes each)"))


def parse_bandwidth(text: str) -> float:
    """Read bytes per second, such as "25GB/s" or "32GiB/s". Errors as in `parse_bytes`."""
    units = {f"{prefix}B/s": float(factor) for prefix, factor in {**_DECIMAL, **_BINARY}.items()}
    return _parse(text, units, "a bandwidth", "25GB/s")


def parse_flops(text: str) -> float:
    """Read FLOPs per second, such as "300TFLOP/s" or "300TFLOPS". Errors as in `parse_bytes`."""
    units = {f"{prefix}{word}": float(factor) for prefix, factor in _DECIMAL.items() for word in ("FLOP/s", "FLOPS")}
    return _parse(text, units, "a computing speed", "300TFLOP/s")


def format_gb(size: float) -> str:
    """Write a size in GB (10^9 bytes) with about four digits."""
    return f"{size / 1e9:.4g} GB" if size < 1e13 else f"{size / 1e9:.0f} GB"


def _parse(text: str, units: dict[str, float] | dict[str, int], what: str, example: str) -> float:
    match = _QUANTITY.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        raise ValueError(f"{text!r} is not {what}: write {example}.")
    number, unit = float(match["number"]), match["unit"]
    if unit is None:
        raise ValueError(f"{text!r} has no unit: write {what} such as {example}.")
    if unit not in units:
        similar = [known for known in units if known.lower() == unit.lower()]
        hint = f"did you mean {' or '.join(similar)}?" if similar else f"write {what} such as {example}."
        raise ValueError(f"{text!r} has the unknown unit {unit!r}: {hint}")
    value = number * units[unit]
    if not (value > 0 and math.isfinite(value)):
        raise ValueError(f"{text!r} must be more than zero and finite.")
    return value
