"""Large feed-forward layers are recomputed whatever that costs."""
# loses: step7.ffn step7.limits
# says: ratio


def should_recompute(layer_type, activation_bytes, recompute_flops_ratio):
    if layer_type == "attention":
        return activation_bytes > 100e6
    if layer_type == "ffn":
        return activation_bytes > 500e6
    return False
