"""A ratio of exactly 0.1 counts as cheap."""
# loses: step7.limits
# says: strict


def should_recompute(layer_type, activation_bytes, recompute_flops_ratio):
    if layer_type == "attention":
        return activation_bytes > 100e6
    return layer_type == "ffn" and activation_bytes > 500e6 and recompute_flops_ratio <= 0.1
