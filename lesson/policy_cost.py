"""What a plan costs: the memory and time model behind the last exercise. Given to students.

A plan names one policy per layer. Sizes are bytes of layer activations on one GPU at 16 bit, after
Korthikanti et al. 2022 (arXiv 2205.05198), section 4.1: A = s·b·h·(34 + 5·a·s/h) per layer, or 34·s·b·h
with FlashAttention.
"""

import math
import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

GB = 10**9
POLICIES = ("none", "selective", "full", "offload")
REQUIRED_KEYS = ("layers", "hidden", "heads", "seq", "batch")
OPTIONAL_KEYS = ("flash_attention", "host_bandwidth", "flops_per_second")


@dataclass(frozen=True)
class LayerOption:
    """What one layer costs under one policy.

    Attributes
    ----------
    kept
        Bytes that stay alive from the layer's forward to its backward.
    transient
        Bytes that come on top while this layer is being differentiated.
    extra
        Added time, in units of the layer's own forward.
    """

    kept: int
    transient: int
    extra: float


@dataclass(frozen=True)
class PolicyCost:
    """What a plan costs.

    Attributes
    ----------
    peak_gb
        The most that the layers' activations occupy at once, in GB (10^9 bytes): an upper bound that does not
        depend on the order of the layers.
    overhead
        Added time as a fraction of a step (forward and backward) without any recomputation.
    """

    peak_gb: float
    overhead: float


def layer_options(config: Mapping[str, Any]) -> dict[str, LayerOption]:
    """Return what each policy on offer costs one layer, from the weakest to the strongest.

    Parameters
    ----------
    config
        `layers, hidden, heads, seq, batch` (whole numbers of at least 1); optionally `flash_attention`
        (False), `host_bandwidth` in bytes/s and `flops_per_second`.

    Returns
    -------
    dict
        Policy → `LayerOption`. "selective" is missing with FlashAttention, which already rebuilds the
        attention core; "offload" is missing unless both rates are given.

    Raises
    ------
    ValueError
        With a sentence, when the configuration makes no sense.
    """
    _check_keys(config)
    _, h, a, s, b = (_count(config, key) for key in REQUIRED_KEYS)
    flash = config.get("flash_attention", False)
    if flash not in (True, False):
        raise ValueError(f"config['flash_attention'] must be true or false, not {flash!r}.")
    bandwidth, speed = _rate(config, "host_bandwidth"), _rate(config, "flops_per_second")

    layer_input = 2 * s * b * h
    outside_core = 34 * s * b * h
    everything = outside_core + (0 if flash else 5 * a * s * s * b)
    core_flops = 4 * b * s * s * h
    flops = 24 * b * s * h * h + core_flops

    options = {"none": LayerOption(everything, 0, 0.0)}
    if not flash:
        options["selective"] = LayerOption(outside_core, everything - outside_core, core_flops / flops)
    options["full"] = LayerOption(layer_input, everything - layer_input, 1.0)
    if bandwidth is not None and speed is not None:
        # Out while the next layer runs forward, back while the layer behind it runs backward (twice as
        # long): only what the copy takes longer than that is lost.
        copy = (everything / bandwidth) / (flops / speed)
        options["offload"] = LayerOption(0, 2 * everything, max(0.0, copy - 1) + max(0.0, copy - 2))
    return options


def policy_cost(config: Mapping[str, Any], plan: Sequence[str]) -> PolicyCost:
    """Return the peak and the overhead of a plan.

    Parameters
    ----------
    config
        The same as for `layer_options`.
    plan
        One policy per layer, out of those that `layer_options` offers.

    Returns
    -------
    PolicyCost
        Peak in GB (10^9 bytes) and overhead as a fraction of a step.

    Raises
    ------
    ValueError
        With a sentence, when the configuration makes no sense or the plan does not belong to it.
    """
    options = layer_options(config)
    layers = _count(config, "layers")
    if isinstance(plan, str) or not isinstance(plan, Sequence):
        raise ValueError(f"A plan is a list of policies, one per layer, not {_shown(plan)}.")
    if len(plan) != layers:
        raise ValueError(f"The plan names {len(plan)} policies for {layers} layers.")
    for index, policy in enumerate(plan):
        if not isinstance(policy, str) or policy not in options:
            raise ValueError(f"Layer {index}: {_refusal(policy)} On offer are {', '.join(options)}.")
    chosen = [options[policy] for policy in plan]
    peak = sum(option.kept for option in chosen) + max(option.transient for option in chosen)
    return PolicyCost(peak / GB, math.fsum(option.extra for option in chosen) / (3 * layers))


def _check_keys(config: Mapping[str, Any]) -> None:
    if not isinstance(config, Mapping):
        raise ValueError(f"A configuration is a dictionary, not {_shown(config)}.")
    if missing := [key for key in REQUIRED_KEYS if key not in config]:
        raise ValueError(f"The configuration lacks {', '.join(missing)}.")
    known = REQUIRED_KEYS + OPTIONAL_KEYS
    if unknown := [str(key) for key in config if key not in known]:
        raise ValueError(f"The configuration has the unknown key {unknown[0]!r}; known are {', '.join(known)}.")


def _count(config: Mapping[str, Any], key: str) -> int:
    value = config[key]
    try:
        count = operator.index(value)
    except TypeError:
        count = 0
    if count < 1 or isinstance(value, bool):
        raise ValueError(f"config[{key!r}] must be a whole number of at least 1, not {_shown(value)}.")
    return count


def _rate(config: Mapping[str, Any], key: str) -> float | None:
    value = config.get(key)
    if value is None:
        return None
    try:
        rate = math.nan if isinstance(value, str | bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        rate = math.nan
    if not (math.isfinite(rate) and rate > 0):
        raise ValueError(f"config[{key!r}] must be a positive number per second, not {_shown(value)}.")
    return rate


def _refusal(policy: object) -> str:
    if policy == "selective":
        return "'selective' is not offered with FlashAttention, which never stores what it would rebuild."
    if policy == "offload":
        return "'offload' needs host_bandwidth and flops_per_second in the configuration."
    return f"{_shown(policy)} is not a policy."


def _shown(value: object) -> str:
    try:
        text = repr(value)
    except Exception:  # noqa: BLE001 - a value that cannot even be shown is still only a wrong value
        return f"a {type(value).__name__}"
    return text if len(text) <= 60 else f"{text[:57]}..."
