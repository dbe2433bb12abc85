"""Only segment sizes that divide L are listed."""
# loses: exercise2.sweep exercise2.best
# says: divide L


def sweep_segments(n_layers, layer_units=17):
    return [
        (k, segment_memory(n_layers, k, layer_units), segment_overhead(n_layers, k))
        for k in range(1, n_layers + 1)
        if n_layers % k == 0
    ]
