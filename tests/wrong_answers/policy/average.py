"""The share of layers to recompute is rounded to the nearest layer instead of up."""
# loses: policy.recompute policy.mixed policy.offload

_right = plan_policy


def plan_policy(config, memory_gb):
    options = layer_options(config)
    plan = _right(config, memory_gb)
    layers, none = config["layers"], options["none"]
    for name in [name for name in options if name != "none"]:
        if name in plan and layers * options[name].kept + options[name].transient <= memory_gb * 1e9:
            room = memory_gb * 1e9 - options[name].transient
            n = round((layers * none.kept - room) / (none.kept - options[name].kept))
            return [name] * n + ["none"] * (layers - n)
    return plan
