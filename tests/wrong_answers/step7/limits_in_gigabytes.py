"""The limits are 100 and 500 GB."""
# loses: step7.attention step7.ffn


def should_recompute(layer_type, activation_bytes, recompute_flops_ratio):
    if layer_type == "attention":
        return activation_bytes > 10000e9
    if layer_type == "ffn":
        return activation_bytes > 500e9 and recompute_flops_ratio < 0.1
    return False
