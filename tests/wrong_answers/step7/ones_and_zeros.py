"""The answer is 1 or 0."""
# loses: step7.attention step7.ffn step7.limits step7.others
# says: boolean


def should_recompute(layer_type, activation_bytes, recompute_flops_ratio):
    if layer_type == "attention":
        return int(activation_bytes > 100e6)
    if layer_type == "ffn":
        return int(activation_bytes > 500e6 and recompute_flops_ratio < 0.1)
    return 0
