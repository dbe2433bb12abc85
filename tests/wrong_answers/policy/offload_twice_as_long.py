"""Out and back both wait for one forward: a copy costs 2 (T - t)."""
# loses: policy.offload

_layer_options = layer_options


def layer_options(config):
    options = _layer_options(config)
    if "offload" in options:
        extra = options["offload"].extra
        copy = (extra + 3) / 2 if extra > 1 else extra + 1
        options["offload"] = type(options["offload"])(0, options["offload"].transient, max(0, 2 * (copy - 1)))
    return options
