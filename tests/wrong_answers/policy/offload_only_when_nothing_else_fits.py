"""Offload is the last resort."""
# loses: policy.offload

_right = plan_policy


def plan_policy(config, memory_gb):
    without = {key: value for key, value in config.items() if key not in ("host_bandwidth", "flops_per_second")}
    try:
        return _right(without, memory_gb)
    except ValueError:
        return _right(config, memory_gb)
