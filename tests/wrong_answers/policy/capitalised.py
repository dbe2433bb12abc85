"""The names are written with a capital."""
# loses: policy.recompute policy.mixed policy.offload
# says: not a policy

_right = plan_policy


def plan_policy(config, memory_gb):
    return [name.capitalize() for name in _right(config, memory_gb)]
