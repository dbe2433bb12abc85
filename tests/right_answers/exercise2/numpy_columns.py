"""The sweep is computed in columns, and its points hold NumPy numbers."""

import numpy as np


def sweep_segments(n_layers, layer_units=17):
    k = np.arange(1, n_layers + 1)
    segments = (n_layers + k - 1) // k
    memory = segments - 1 + k * layer_units
    overhead = (segments - 1) * k / (3.0 * n_layers)
    return list(zip(k, memory, overhead))


def best_segment(n_layers, layer_units=17):
    memory = np.array([point[1] for point in sweep_segments(n_layers, layer_units)])
    return n_layers - np.argmin(memory[::-1])
