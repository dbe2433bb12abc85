"""The plan is one string, names joined by commas."""
# loses: policy.recompute policy.mixed policy.offload
# says: a string

_right = plan_policy


def plan_policy(config, memory_gb):
    return ", ".join(_right(config, memory_gb))
