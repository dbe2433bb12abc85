"""The error names the memory there is, not the memory it takes."""
# loses: policy.infeasible

_right = plan_policy


def plan_policy(config, memory_gb):
    layers = config["layers"]
    smallest = min(layers * option.kept + option.transient for option in layer_options(config).values())
    if smallest > memory_gb * 1e9:
        raise ValueError(f"{memory_gb} GB are not enough")
    return _right(config, memory_gb)
