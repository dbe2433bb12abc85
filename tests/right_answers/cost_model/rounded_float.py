"""The segment size is a NumPy float without a fractional part."""

import numpy as np


def optimal_segment(n_layers):
    return np.maximum(1.0, np.round(np.sqrt(np.float64(n_layers))))
