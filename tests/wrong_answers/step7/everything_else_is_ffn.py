"""Every layer that is not attention is treated as a feed-forward layer."""
# loses: step7.others
# says: every other kind


def should_recompute(layer_type, activation_bytes, recompute_flops_ratio):
    if layer_type == "attention":
        return activation_bytes > 100e6
    return activation_bytes > 500e6 and recompute_flops_ratio < 0.1
