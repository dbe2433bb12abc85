"""A RuntimeError says that nothing fits."""
# loses: policy.infeasible
# says: RuntimeError

_right = plan_policy


def plan_policy(config, memory_gb):
    layers = config["layers"]
    smallest = min(layers * option.kept + option.transient for option in layer_options(config).values())
    if smallest > memory_gb * 1e9:
        raise RuntimeError(f"needs {smallest / 1e9:.3f} GB")
    return _right(config, memory_gb)
