"""Only the backward waits for the host: a copy costs T - 2t and nothing below."""
# loses: policy.offload

_layer_options = layer_options


def layer_options(config):
    options = _layer_options(config)
    if "offload" in options:
        extra = options["offload"].extra
        copy = (extra + 3) / 2 if extra > 1 else extra + 1
        options["offload"] = type(options["offload"])(0, options["offload"].transient, max(0, copy - 2))
    return options
