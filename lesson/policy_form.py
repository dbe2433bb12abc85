"""The JSON form in which a question about a policy and its answer are written, in a prompt or by a model.

A question: `config` and `memory_gb`. An answer: these two, `policy` (a list, one name per layer, or an object
that counts them), `predicted_peak_gb` and `overhead`. When nothing fits, `policy` is null and
`smallest_peak_gb` says how much would be needed.

`config` describes a run as people do, with a number format, an attention kernel and parallel degrees beside
the shape. `plain_question` reduces it to the configuration that `lesson.policy_cost` understands.
"""

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lesson.policy_cost import OPTIONAL_KEYS, POLICIES, REQUIRED_KEYS

ANSWER_KEYS = ("config", "memory_gb", "policy", "predicted_peak_gb", "overhead")
INPUT_KEYS = (
    *REQUIRED_KEYS,
    *("dtype", "attention_kernel", "tensor_parallel", "sequence_parallel", "pipeline_parallel"),
)
LARGEST_TEXT = 1_000_000
MOST_LAYERS = 512
LARGEST_RATE = 1e30  # per second; beyond it sums overflow

_FENCE = re.compile(r"[ \t>]*(?P<fence>`{3,}|~{3,})[ \t]*json\b[^`]*", re.IGNORECASE)
_FUSED = ("flash", "sdpa", "efficient", "xformers", "cudnn", "fused", "triton", "splash")


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


_DECODER = json.JSONDecoder(parse_constant=_refuse_constant)


class Unsupported(ValueError):
    """A question outside the model: `key` and `value` are what it cannot take."""

    def __init__(self, key: str, value: object) -> None:
        self.key = key
        self.value = value
        super().__init__(f"{key} = {value!r} is outside the model.")


@dataclass(frozen=True)
class JsonBlock:
    """A fenced json block of a text: the line of its fence, its value, or why it is not JSON."""

    line: int
    value: Any
    problem: str | None = None


def json_blocks(text: str) -> list[JsonBlock]:
    """Return the fenced json blocks of a Markdown text, also those inside another fence or a quotation."""
    blocks = []
    lines = text.splitlines()
    number = 0
    while number < len(lines):
        opening = _FENCE.fullmatch(lines[number])
        if opening is None:
            number += 1
            continue
        fence = opening["fence"]
        start = number + 1
        number = start
        while number < len(lines) and not _closes(lines[number], fence):
            number += 1
        value, problem = load_json("\n".join(line.lstrip(" \t>") for line in lines[start:number]))
        blocks.append(JsonBlock(start, value, problem))
        number += 1
    return blocks


def without_json_blocks(text: str) -> str:
    """Return what remains of a text when its fenced json blocks are taken out."""
    kept, inside = [], None
    for line in text.splitlines():
        if inside is None and (opening := _FENCE.fullmatch(line)):
            inside = opening["fence"]
        elif inside is None:
            kept.append(line)
        elif _closes(line, inside):
            inside = None
    return "\n".join(kept)


def load_json(text: str) -> tuple[Any, str | None]:
    """Return the value of a JSON text and no problem, or None and what is wrong with it (such as NaN)."""
    try:
        return _DECODER.decode(text), None
    except RecursionError:
        return None, "nested too deeply"
    except ValueError as error:
        return None, str(error)


def first_json(text: str, start: int) -> tuple[Any, int]:
    """Return the JSON value at a position and where it ends, or None and the next position."""
    try:
        return _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        return None, start + 1


def is_number(value: object) -> bool:
    """Return whether a JSON value is a finite number (and not a bool)."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def plain_question(config: Mapping[str, Any]) -> tuple[dict[str, Any], int]:
    """Reduce a described run to the configuration of `lesson.policy_cost`.

    Parameters
    ----------
    config
        The keys of `lesson.policy_cost` and those of `INPUT_KEYS`; others are ignored. With sequence
        parallelism over t GPUs each of them holds 1/t of every byte (Korthikanti et al. 2022, Eq 4 and 6);
        the first of several pipeline stages holds as much as one GPU without pipelining (Eq 5).

    Returns
    -------
    plain : dict
        A configuration for `lesson.policy_cost`.
    share : int
        The peak of `plain` divided by this is the peak of one GPU.

    Raises
    ------
    Unsupported
        For what the model does not cover (another number format than 16 bit, tensor without sequence
        parallelism), and for values that are not a configuration at all.
    """
    plain: dict[str, Any] = {}
    for key in REQUIRED_KEYS:
        value = config.get(key)
        if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= 10**9:
            raise Unsupported(key, value)
        plain[key] = value
    if plain["layers"] > MOST_LAYERS:
        raise Unsupported("layers", plain["layers"])
    for key in OPTIONAL_KEYS[1:]:
        value = config.get(key)
        if value is not None:
            if not is_number(value) or not 1 <= value <= LARGEST_RATE:
                raise Unsupported(key, value)
            plain[key] = value
    plain["flash_attention"] = _flash_attention(config)
    dtype = config.get("dtype")
    if dtype is not None and "16" not in str(dtype):
        raise Unsupported("dtype", dtype)
    share = 1 if config.get("tensor_parallel") is None else config["tensor_parallel"]
    if not isinstance(share, int) or isinstance(share, bool) or not 1 <= share <= 10**6:
        raise Unsupported("tensor_parallel", share)
    if share > 1 and config.get("sequence_parallel") is not True:
        raise Unsupported("sequence_parallel", config.get("sequence_parallel"))
    return plain, share


def spelled_out(policy: object) -> list[Any] | None:
    """Return the policies layer by layer, also when given as counts such as {"full": 8}; else None."""
    if isinstance(policy, list):
        return policy
    if isinstance(policy, dict) and set(policy) <= set(POLICIES):
        counts = [policy.get(name, 0) for name in reversed(POLICIES)]
        if all(isinstance(n, int) and not isinstance(n, bool) and 0 <= n <= MOST_LAYERS for n in counts):
            return [name for name, n in zip(reversed(POLICIES), counts, strict=True) for _ in range(n)]
    return None


def _closes(line: str, fence: str) -> bool:
    bare = line.strip(" \t>")
    return len(bare) >= len(fence) and set(bare) == {fence[0]}


def _flash_attention(config: Mapping[str, Any]) -> bool:
    stated, kernel = config.get("flash_attention"), config.get("attention_kernel")
    if stated not in (None, True, False):
        raise Unsupported("flash_attention", stated)
    if kernel is None:
        return bool(stated)
    fused = any(name in str(kernel).lower() for name in _FUSED)
    if stated is not None and stated != fused:
        raise Unsupported("flash_attention", stated)
    return fused
