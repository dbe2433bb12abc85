"""layer_units is not handed on."""
# loses: exercise2.sweep exercise2.best
# says: not passed on


def sweep_segments(n_layers, layer_units=17):
    return [(k, segment_memory(n_layers, k), segment_overhead(n_layers, k)) for k in range(1, n_layers + 1)]
