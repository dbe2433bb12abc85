"""Feed-forward layers are recomputed above 100 MB already."""
# loses: step7.ffn step7.limits


def should_recompute(layer_type, activation_bytes, recompute_flops_ratio):
    limit = 100e6
    if layer_type == "attention":
        return activation_bytes > limit
    if layer_type == "ffn":
        return activation_bytes > limit and recompute_flops_ratio < 0.1
    return False
