"""The number of segments is rounded down, as in the published lesson."""
# loses: exercise2.memory exercise2.sweep exercise2.best
# says: round up


def segment_memory(n_layers, segment_size, layer_units=17):
    segments = max(1, n_layers // segment_size)
    return segments - 1 + min(segment_size, n_layers) * layer_units
