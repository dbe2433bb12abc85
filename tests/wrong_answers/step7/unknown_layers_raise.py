"""A layer of another kind is an error."""
# loses: step7.others


def should_recompute(layer_type, activation_bytes, recompute_flops_ratio):
    if layer_type == "attention":
        return activation_bytes > 100e6
    if layer_type == "ffn":
        return activation_bytes > 500e6 and recompute_flops_ratio < 0.1
    raise ValueError(f"unknown layer type {layer_type}")
