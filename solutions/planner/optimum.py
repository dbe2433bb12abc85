"""The optimum of `plan_policy`, found by the planner's search instead of trying every plan.

`solutions.policy.plan_policy` tries them all, which is easy to read and quick enough for 128 layers, but takes
time and memory that grow with the cube of their number. Here nearly 2,000 layers are no trouble.
"""

from collections.abc import Mapping
from typing import Any

from lesson.policy_cost import GB, layer_options, policy_cost
from solutions.planner.allocation import Group, Option, allocate


def best_overhead(config: Mapping[str, Any], memory_gb: float) -> float:
    """Return the least overhead of the plans that fit.

    Parameters
    ----------
    config
        As for `lesson.policy_cost.layer_options`.
    memory_gb
        What the activations of all layers may occupy, in GB of 10^9 bytes.

    Returns
    -------
    float
        Added time as a fraction of a step; the same as that of the plan that `plan_policy` returns.

    Raises
    ------
    ValueError
        If no plan fits, or the configuration makes no sense.
    """
    offered = layer_options(config)
    options = tuple(Option(name, each.kept, each.transient, each.extra) for name, each in offered.items())
    budget = memory_gb * GB * (1 + 1e-12)  # as in `plan_policy`
    found = allocate([Group("layer", config["layers"], options)], budget)
    if found is None:
        raise ValueError(f"No plan fits {memory_gb:g} GB.")
    (counts,) = found.counts
    return policy_cost(config, [name for name, count in counts.items() for _ in range(count)]).overhead
