"""A table maps each kind of layer to its rule."""

MB = 10**6
RULES = {
    "attention": lambda size, ratio: size > 100 * MB,
    "ffn": lambda size, ratio: size > 500 * MB and ratio < 0.1,
}


def should_recompute(layer_type, activation_bytes, recompute_flops_ratio):
    return RULES.get(layer_type, lambda size, ratio: False)(activation_bytes, recompute_flops_ratio)
