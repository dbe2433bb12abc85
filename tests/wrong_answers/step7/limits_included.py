"""All comparisons include the limit."""
# loses: step7.limits
# says: strict


def should_recompute(layer_type, activation_bytes, recompute_flops_ratio):
    if layer_type == "attention":
        return activation_bytes >= 100e6
    if layer_type == "ffn":
        return activation_bytes >= 500e6 and recompute_flops_ratio <= 0.1
    return False
