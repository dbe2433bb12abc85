"""Whether the attention kernel is a fused one makes no difference."""
# loses: policy.recompute policy.offload policy.infeasible

_right = plan_policy


def plan_policy(config, memory_gb):
    return _right({**config, "flash_attention": False}, memory_gb)
