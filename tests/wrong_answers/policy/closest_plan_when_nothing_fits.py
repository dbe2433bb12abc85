"""When nothing fits, the plan that comes closest is returned."""
# loses: policy.infeasible
# says: No plan fits

_right = plan_policy


def plan_policy(config, memory_gb):
    layers, options = config["layers"], layer_options(config)
    peaks = {name: (layers * option.kept + option.transient) / 1e9 for name, option in options.items()}
    closest = min(peaks, key=peaks.get)
    return [closest] * layers if peaks[closest] > memory_gb else _right(config, memory_gb)
