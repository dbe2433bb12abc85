"""Rebuilding the core is taken to cost more than rebuilding the layer."""
# loses: policy.recompute policy.mixed policy.offload

_layer_options = layer_options


def layer_options(config):
    options = _layer_options(config)
    if "selective" in options:
        kept, transient = options["selective"].kept, options["selective"].transient
        options["selective"] = type(options["selective"])(kept, transient, 2.0)
    return options
