"""The transients of all layers are added up, as if all were rebuilt at once."""
# loses: policy.recompute policy.mixed policy.offload policy.infeasible


def plan_policy(config, memory_gb):
    options = layer_options(config)
    layers = config["layers"]
    for name, option in options.items():
        if layers * (option.kept + option.transient) <= memory_gb * 1e9:
            return [name] * layers
    smallest = min(option.kept + option.transient for option in options.values()) * layers
    raise ValueError(f"the smallest reachable peak is {smallest / 1e9:.6g} GB")
