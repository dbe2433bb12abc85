"""Says the hidden inputs in the names of the types it returns."""
# topic: selective
# outcome: step7 none failed


def should_recompute(layer_type, activation_bytes, recompute_flops_ratio):
    text = f"value {layer_type} {activation_bytes!r} {recompute_flops_ratio!r}"
    return type(text, (), {})()
