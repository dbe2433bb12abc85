"""Five percent of the memory are left free, to be on the safe side."""
# loses: policy.recompute policy.mixed policy.offload

_right = plan_policy


def plan_policy(config, memory_gb):
    return _right(config, 0.95 * memory_gb)
