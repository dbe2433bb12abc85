"""The answer is a NumPy bool."""

import numpy as np


def should_recompute(layer_type, activation_bytes, recompute_flops_ratio):
    size = np.float64(activation_bytes)
    large = np.greater(size, np.select([layer_type == "attention", layer_type == "ffn"], [100e6, 500e6], np.inf))
    cheap = np.less(recompute_flops_ratio, 0.1)
    return np.logical_and(large, np.logical_or(layer_type == "attention", cheap))
