"""The last return is missing, so other layers give None."""
# loses: step7.others
# says: boolean


def should_recompute(layer_type, activation_bytes, recompute_flops_ratio):
    if layer_type == "attention":
        return activation_bytes > 100e6
    if layer_type == "ffn":
        return activation_bytes > 500e6 and recompute_flops_ratio < 0.1
