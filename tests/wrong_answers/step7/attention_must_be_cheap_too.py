"""The ratio decides about attention as well."""
# loses: step7.attention


def should_recompute(layer_type, activation_bytes, recompute_flops_ratio):
    limits = {"attention": 100e6, "ffn": 500e6}
    if layer_type not in limits:
        return False
    return activation_bytes > limits[layer_type] and recompute_flops_ratio < 0.1
