"""One return for every path, and no operators."""


def should_recompute(layer_type, activation_bytes, recompute_flops_ratio):
    if layer_type == "attention":
        if activation_bytes > 100_000_000:
            return True
        else:
            return False
    elif layer_type == "ffn":
        if activation_bytes > 500_000_000:
            if recompute_flops_ratio < 0.1:
                return True
            else:
                return False
        else:
            return False
    else:
        return False
