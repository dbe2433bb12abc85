"""The condition 'attention' or 'ffn' is true for every layer."""
# loses: step7.ffn step7.limits step7.others


def should_recompute(layer_type, activation_bytes, recompute_flops_ratio):
    if layer_type == "attention" or "ffn":
        return activation_bytes > 100e6
    return False
