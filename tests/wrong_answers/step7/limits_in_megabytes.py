"""The bytes are compared with 100 and 500, as if they were megabytes."""
# loses: step7.attention step7.ffn step7.limits


def should_recompute(layer_type, activation_bytes, recompute_flops_ratio):
    if layer_type == "attention":
        return activation_bytes > 100
    if layer_type == "ffn":
        return activation_bytes > 500 and recompute_flops_ratio < 0.1
    return False
