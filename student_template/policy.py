"""Ship it: a policy per layer for a real model and a real GPU.

By now you know four things to do with a layer's activations: keep them, rebuild the attention core, rebuild
the whole layer, or park them in the host's memory. A large model rarely wants the same for every layer.
Given a budget, the best plan wastes as little time as possible, and usually mixes two policies.

The memory model is that of Korthikanti et al. 2022, "Reducing Activation Recomputation in Large Transformer
Models", arXiv 2205.05198. As in that paper, "selective" rebuilds only the core of attention: scores, softmax
and weighted sum. (Exercise 3 rebuilt the whole attention module, its projections included.)
"""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from lesson.policy_cost import GB, layer_options


def plan_policy(config: Mapping[str, Any], memory_gb: float) -> list[str]:
    """Find the plan with the least time overhead among those whose peak fits.

    Write s for seq, b for batch, h for hidden, a for heads. At 16 bit a layer that keeps everything holds
    A = s·b·h·(34 + 5·a·s/h) bytes, with FlashAttention 34·s·b·h. Its forward costs F = 24·b·s·h² + 4·b·s²·h
    FLOPs and takes t = F / flops_per_second; copying it to the host takes T = A / host_bandwidth. Per layer:

    | policy    | bytes kept | more while it is differentiated | added time, in forwards               |
    |-----------|------------|---------------------------------|---------------------------------------|
    | none      | A          | 0                               | 0                                     |
    | selective | 34·s·b·h   | A - 34·s·b·h                    | 4·b·s²·h / F                          |
    | full      | 2·s·b·h    | A - 2·s·b·h                     | 1                                     |
    | offload   | 0          | 2·A                             | [max(0, T - t) + max(0, T - 2·t)] / t |

    The peak of a plan is the sum of what is kept plus the largest entry of the middle column; its overhead is
    the added time divided by 3·layers. "selective" is not on offer with FlashAttention, which never stores
    what it would rebuild; "offload" is not on offer unless both rates are known.

    Parameters
    ----------
    config : mapping
        `layers`, `hidden`, `heads`, `seq`, `batch`, all at least 1; optionally `flash_attention` (False),
        `host_bandwidth` (bytes per second) and `flops_per_second`. All layers are alike.
    memory_gb : float
        What the activations of all layers may occupy, in GB of 10^9 bytes.

    Returns
    -------
    list of str, one policy per layer
        The order does not matter. `lesson.policy_cost.policy_cost(config, plan)` tells the peak and the
        overhead of any plan, `lesson.policy_cost.layer_options(config)` what the table says in numbers.

    Raises
    ------
    ValueError
        If no plan fits. The message contains the smallest reachable peak in GB.

    References
    ----------
    Korthikanti et al. 2022, arXiv 2205.05198, sections 4.1 and 5 (memory) and appendix A (FLOPs).
    """
    # TODO policy: your code.
    raise NotImplementedError


# TODO prompt: your text, here or in a file prompt-activation-recompute-policy.md.
POLICY_PROMPT = ""
