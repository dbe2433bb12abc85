"""All layers have the same policy, the cheapest that fits."""
# loses: policy.recompute policy.mixed policy.offload
# says: could be on


def plan_policy(config, memory_gb):
    layers = config["layers"]
    options = sorted(layer_options(config).items(), key=lambda item: item[1].extra)
    for name, option in options:
        if layers * option.kept + option.transient <= memory_gb * 1e9:
            return [name] * layers
    smallest = min(layers * option.kept + option.transient for _, option in options) / 1e9
    raise ValueError(f"{smallest} GB")
