"""Every number of the prompt comes from plan_policy when the file is imported."""

import json

from lesson.policy_cost import policy_cost


def _example(memory_gb, **config):
    plan = plan_policy(config, memory_gb)
    cost = policy_cost(config, plan)
    answer = {"config": config, "memory_gb": memory_gb, "policy": plan}
    return _block({**answer, "predicted_peak_gb": cost.peak_gb, "overhead": cost.overhead})


def _block(value):
    return f"```json\n{json.dumps(value, indent=2)}\n```"


_ASK = {key: None for key in ("layers", "hidden", "heads", "seq", "batch", "dtype", "attention_kernel")}
_ASK |= {key: None for key in ("tensor_parallel", "sequence_parallel", "pipeline_parallel")}
POLICY_PROMPT = "\n\n".join(
    [
        "Choose none, selective, full or offload for every layer. Ask for:",
        _block({"config": _ASK, "memory_gb": None}),
        _example(10, layers=24, hidden=1024, heads=16, seq=1024, batch=8),
        _example(30, layers=48, hidden=1600, heads=25, seq=1024, batch=16, flash_attention=True),
    ]
)
