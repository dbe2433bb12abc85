"""Offload is left out."""
# loses: policy.offload policy.infeasible

_right = plan_policy


def plan_policy(config, memory_gb):
    shape = ("layers", "hidden", "heads", "seq", "batch", "flash_attention")
    return _right({key: config[key] for key in shape if key in config}, memory_gb)
