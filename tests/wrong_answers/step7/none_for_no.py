"""What is not recomputed gives None instead of False."""
# loses: step7.attention step7.ffn step7.limits step7.others
# says: boolean


def should_recompute(layer_type, activation_bytes, recompute_flops_ratio):
    if layer_type == "attention" and activation_bytes > 100e6:
        return True
    if layer_type == "ffn" and activation_bytes > 500e6 and recompute_flops_ratio < 0.1:
        return True
