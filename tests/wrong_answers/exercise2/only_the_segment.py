"""The inputs of the other segments are forgotten."""
# loses: exercise2.memory exercise2.sweep exercise2.best
# says: inputs of all other segments


def segment_memory(n_layers, segment_size, layer_units=17):
    return min(segment_size, n_layers) * layer_units
