"""Exact fractions until the very end."""

from fractions import Fraction


def segment_memory(n_layers, segment_size, layer_units=17):
    segments = -(-n_layers // segment_size)
    return float(Fraction(segments - 1) + min(n_layers, segment_size) * Fraction(layer_units))


def segment_overhead(n_layers, segment_size):
    last = n_layers % segment_size or segment_size
    return float(Fraction(max(0, n_layers - last), 3 * n_layers))


def sweep_segments(n_layers, layer_units=17):
    return tuple(
        [k, segment_memory(n_layers, k, layer_units), segment_overhead(n_layers, k)] for k in range(1, 1 + n_layers)
    )
