"""A GB has 2^30 bytes."""
# loses: policy.recompute policy.mixed policy.offload policy.infeasible
# says: 2^30 bytes

_right = plan_policy


def plan_policy(config, memory_gb):
    return _right(config, memory_gb * 2**30 / 1e9)
