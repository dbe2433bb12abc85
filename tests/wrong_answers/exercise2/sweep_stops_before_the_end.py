"""range stops one segment size too early."""
# loses: exercise2.sweep exercise2.best
# says: missing


def sweep_segments(n_layers, layer_units=17):
    return [(k, segment_memory(n_layers, k, layer_units), segment_overhead(n_layers, k)) for k in range(1, n_layers)]
