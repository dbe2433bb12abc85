"""The ratio is compared with 10, as if it were a percentage."""
# loses: step7.ffn step7.limits


def should_recompute(layer_type, activation_bytes, recompute_flops_ratio):
    if layer_type == "attention":
        return activation_bytes > 100e6
    if layer_type == "ffn":
        return activation_bytes > 500e6 and recompute_flops_ratio < 10
    return False
