"""The error does not say how much would be needed."""
# loses: policy.infeasible
# says: no number

_right = plan_policy


def plan_policy(config, memory_gb):
    layers = config["layers"]
    smallest = min(layers * option.kept + option.transient for option in layer_options(config).values())
    if smallest > memory_gb * 1e9:
        raise ValueError("No plan fits.")
    return _right(config, memory_gb)
