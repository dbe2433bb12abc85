"""Reads address 0."""
# topic: selective
# outcome: step7 none crashed

import ctypes


def should_recompute(layer_type, activation_bytes, recompute_flops_ratio):
    return ctypes.string_at(0)
