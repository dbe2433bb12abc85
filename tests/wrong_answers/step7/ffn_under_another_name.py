"""Feed-forward layers are expected under the name mlp."""
# loses: step7.ffn


def should_recompute(layer_type, activation_bytes, recompute_flops_ratio):
    if layer_type == "attention":
        return activation_bytes > 100e6
    if layer_type == "mlp":
        return activation_bytes > 500e6 and recompute_flops_ratio < 0.1
    return False
