"""With FlashAttention some layers are on selective, which is nothing there."""
# loses: policy.recompute policy.offload
# says: never stored

_right = plan_policy


def plan_policy(config, memory_gb):
    plan = _right(config, memory_gb)
    return ["selective" if name == "none" and config.get("flash_attention") else name for name in plan]
