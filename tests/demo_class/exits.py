"""Part 3, with a test of my own that ends Python when it fails."""

import os


def should_recompute(layer_type, activation_bytes, recompute_flops_ratio):
    megabytes = activation_bytes / 2**20
    if layer_type == "attention":
        return megabytes > 100
    if layer_type == "ffn":
        return megabytes > 500 and recompute_flops_ratio < 0.1
    return False


if not should_recompute("attention", 101e6, 0.5):
    print("101 MB of attention should be recomputed!")
    os._exit(1)
