"""Questions to `plan_policy`, away from budgets at which rounding could decide; the prompt asks none."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np

from grader.cases.case import Case
from lesson.course import load_course
from lesson.policy_cost import GB, layer_options, policy_cost

Config: TypeAlias = dict[str, Any]
Groups: TypeAlias = dict[str, list[Case]]
Reference: TypeAlias = Mapping[str, Callable[..., Any]]

# No budget lies relatively nearer to a peak that some plan reaches.
BUDGET_MARGIN = 1e-6
# Two overheads that differ by less are the same.
SAME_OVERHEAD = 1e-9
PROMPT_CHECKS = ("inputs", "examples", "form", "peaks", "overheads", "policies")


def smallest_peak(config: Config) -> float:
    """Return the least peak that any plan reaches, in GB: that of one policy for all layers."""
    layers = int(config["layers"])
    return min(layers * option.kept + option.transient for option in layer_options(config).values()) / GB


def policy(rng: np.random.Generator, reference: Reference) -> Groups:
    """Draw the cases of `plan_policy`; expected are the least overhead, or the smallest peak when nothing fits."""
    plan = reference["plan_policy"]

    def best(config: Config, memory_gb: float) -> float:
        return policy_cost(config, plan(config, memory_gb)).overhead

    def case(draw: Callable[[], tuple[Config, float]], *, mixes_three: bool = False) -> Case:
        """Draw until the budget is safe and, as wanted, two policies are enough for the best plan or not."""
        while True:
            config, share = draw()
            smallest, largest = smallest_peak(config), layer_options(config)["none"].kept * config["layers"] / GB
            memory_gb = float(smallest + share * (largest - smallest)) if share < 1 else float(share * largest)
            if not _is_safe(config, memory_gb):
                continue
            overhead = best(config, memory_gb)
            gain = _best_of_two(config, memory_gb) - overhead
            if gain > 1e-6 if mixes_three else gain < SAME_OVERHEAD:
                return Case("plan_policy", {"config": config, "memory_gb": memory_gb}, overhead)

    def usual(layers: int, **options: Any) -> Callable[[], tuple[Config, float]]:
        return lambda: (_config(rng, layers, **options), rng.uniform(0.05, 0.95))

    def at(share: float, layers: int, **options: Any) -> Callable[[], tuple[Config, float]]:
        return lambda: (_config(rng, layers, **options), share)

    def ladder(layers: int, **options: Any) -> list[Case]:
        """Return questions about one model with ever more memory."""
        config = _config(rng, layers, **options)

        def rung(low: float) -> Case:
            return case(lambda: (config, rng.uniform(low, low + 0.2)))

        return [rung(low) for low in (0.02, 0.25, 0.5, 0.78)]

    def one_rate(name: str, value: float) -> Callable[[], tuple[Config, float]]:
        return lambda: ({**_config(rng, 24), name: value}, rng.uniform(0.1, 0.5))

    def hopeless(layers: int, wanted: str = "", share: float = 0.0, **options: Any) -> Case:
        """Draw a question without an answer, in which this policy reaches the smallest peak."""
        while True:
            config = _config(rng, layers, **options)
            offered = layer_options(config)
            peaks = {name: layers * option.kept + option.transient for name, option in offered.items()}
            if not wanted or min(peaks, key=lambda name: peaks[name]) == wanted:
                memory_gb = float(smallest_peak(config) * (share or rng.uniform(0.4, 0.9)))
                return Case("plan_policy", {"config": config, "memory_gb": memory_gb}, smallest_peak(config))

    small = int(rng.integers(3, 9))
    return {
        "recompute": [
            case(at(1.3, 12)),
            case(at(1.02, 1)),
            *ladder(32),
            *ladder(24, flash=True),
            case(usual(small)),
            case(usual(128)),
            case(usual(80, flash=True)),
            case(at(0.002, 40)),
            case(one_rate("host_bandwidth", 4e12)),
            case(one_rate("flops_per_second", 1e12)),
        ],
        "mixed": [case(usual(int(rng.integers(low, low + 8))), mixes_three=True) for low in (6, 14, 24, 32, 40, 88)],
        "offload": [
            case(usual(int(rng.integers(low, low + 12)), copy=copy, flash=flash))
            for low, copy, flash in (
                (3, 1.3, False),
                (20, 0.6, False),
                (24, 1.2, True),
                (30, 1.5, False),
                (40, 1.8, True),
                (48, 2.4, False),
                (60, 1.1, True),
                (110, 1.4, True),
            )
        ]
        + [case(at(0.003, 48, copy=1.9, flash=True)), case(at(1.2, 16, copy=0.5))],
        "infeasible": [
            hopeless(1),
            hopeless(16, "full", 0.97),
            hopeless(32, "full", flash=True),
            hopeless(48, "offload", copy=1.2),
            hopeless(36, "offload", copy=0.8, flash=True),
            hopeless(12, "full", copy=1.2),
        ],
    }


def prompt(rng: np.random.Generator, reference: Reference) -> Groups:
    """Return one case for each check, that of the prompt itself: its numbers are the student's own."""
    del rng, reference
    return {check: [Case(load_course().exercise("prompt").text, {})] for check in PROMPT_CHECKS}


DRAWERS = {"policy": policy, "prompt": prompt}


def _config(rng: np.random.Generator, layers: int, *, flash: bool = False, copy: float = 0.0) -> Config:
    """Draw a model. With `copy`, moving a layer to the host takes about that many forwards."""
    heads = int(rng.integers(8, 65))
    config: Config = {
        "layers": layers,
        "hidden": heads * int(rng.choice([64, 80, 128])),
        "heads": heads,
        "seq": 128 * int(rng.integers(4, 33)),
        "batch": int(rng.integers(1, 9)),
    }
    if flash or rng.random() < 0.3:
        config["flash_attention"] = flash
    if copy:
        h, s, b = config["hidden"], config["seq"], config["batch"]
        speed = float(rng.uniform(50e12, 400e12))
        forward = (24 * b * s * h**2 + 4 * b * s**2 * h) / speed
        bandwidth = layer_options(config)["none"].kept / (copy * rng.uniform(0.95, 1.05) * forward)
        config |= {"host_bandwidth": float(bandwidth), "flops_per_second": speed}
    return config


def _is_safe(config: Config, memory_gb: float) -> bool:
    """Return whether every reachable peak is far enough from a budget."""
    layers, (first, *others) = config["layers"], list(layer_options(config).values())
    counts = np.indices((layers + 1,) * len(others)).reshape(len(others), -1)
    counts = counts[:, counts.sum(axis=0) <= layers]
    kept = first.kept * (layers - counts.sum(axis=0)) + np.array([option.kept for option in others]) @ counts
    transient = np.max([np.where(row > 0, option.transient, 0) for row, option in zip(counts, others, strict=True)], 0)
    return bool(np.abs((kept + transient) / GB / memory_gb - 1).min() > BUDGET_MARGIN)


def _best_of_two(config: Config, memory_gb: float) -> float:
    """Return the least overhead of the plans that use at most two policies."""
    layers, options = int(config["layers"]), list(layer_options(config).values())
    overheads = [
        ((layers - count) * a.extra + count * b.extra) / (3 * layers)
        for a, b in itertools.combinations(options, 2)
        for count in range(layers + 1)
        if (layers - count) * a.kept
        + count * b.kept
        + max(a.transient if count < layers else 0, b.transient if count else 0)
        <= memory_gb * GB
    ]
    return min(overheads)
