"""The memory of one sequence is taken for that of the batch."""
# loses: policy.recompute policy.mixed policy.offload policy.infeasible

_right = plan_policy


def plan_policy(config, memory_gb):
    return _right({**config, "batch": 1}, memory_gb)
