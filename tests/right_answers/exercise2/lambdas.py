"""Lambdas and a partial, and the segment sizes from the largest down."""

from functools import partial

_ceil = lambda a, b: (a + b - 1) // b
segment_memory = lambda n_layers, segment_size, layer_units=17: (
    _ceil(n_layers, segment_size) + sorted((segment_size, n_layers))[0] * layer_units - 1
)
segment_overhead = lambda n_layers, segment_size: (_ceil(n_layers, segment_size) - 1) * segment_size / n_layers / 3


def _best(start, n_layers, layer_units=17):
    best = None
    for k in range(n_layers, start, -1):
        if best is None or segment_memory(n_layers, k, layer_units) < segment_memory(n_layers, best, layer_units):
            best = k
    return best


best_segment = partial(_best, 0)
