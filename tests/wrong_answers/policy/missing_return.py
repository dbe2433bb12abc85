"""The plan is printed, not returned."""
# loses: policy.recompute policy.mixed policy.offload
# says: return

_right = plan_policy


def plan_policy(config, memory_gb):
    print(_right(config, memory_gb))
