"""Another exception than ValueError says that nothing fits."""
# loses: policy.infeasible

_right = plan_policy


def plan_policy(config, memory_gb):
    layers = config["layers"]
    smallest = min(layers * option.kept + option.transient for option in layer_options(config).values())
    if smallest > memory_gb * 1e9:
        raise MemoryError(f"{smallest / 1e9:.3f} GB")
    return _right(config, memory_gb)
