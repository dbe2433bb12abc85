"""A checkpoint holds a whole layer instead of its input."""
# loses: exercise2.memory exercise2.sweep exercise2.best
# says: only the input


def segment_memory(n_layers, segment_size, layer_units=17):
    return (math.ceil(n_layers / segment_size) - 1 + min(segment_size, n_layers)) * layer_units
