"""The plan that needs the least memory, whatever it costs."""
# loses: policy.recompute policy.mixed policy.offload
# says: could be on


def plan_policy(config, memory_gb):
    layers, options = config["layers"], layer_options(config)
    if layers * options["none"].kept <= memory_gb * 1e9:
        return ["none"] * layers
    peaks = {name: (layers * option.kept + option.transient) / 1e9 for name, option in options.items()}
    name = min(peaks, key=peaks.get)
    if peaks[name] > memory_gb:
        raise ValueError(f"{peaks[name]}")
    return [name] * layers
