"""A rate that is not given is taken to be a usual one."""
# loses: policy.recompute
# says: both host_bandwidth and flops_per_second

_right = plan_policy


def plan_policy(config, memory_gb):
    if "host_bandwidth" in config or "flops_per_second" in config:
        config = {"host_bandwidth": 25e9, "flops_per_second": 100e12, **config}
    return _right(config, memory_gb)
