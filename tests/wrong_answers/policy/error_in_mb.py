"""The error names the smallest peak in MB."""
# loses: policy.infeasible
# says: in MB

_right = plan_policy


def plan_policy(config, memory_gb):
    layers = config["layers"]
    smallest = min(layers * option.kept + option.transient for option in layer_options(config).values())
    if smallest > memory_gb * 1e9:
        raise ValueError(f"at least {smallest / 1e6:.1f} MB")
    return _right(config, memory_gb)
