"""Feed-forward layers are never recomputed."""
# loses: step7.ffn


def should_recompute(layer_type, activation_bytes, recompute_flops_ratio):
    return layer_type == "attention" and activation_bytes > 100e6
