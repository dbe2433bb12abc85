"""The overhead stands before the memory."""
# loses: exercise2.sweep exercise2.best
# says: order inside a tuple


def sweep_segments(n_layers, layer_units=17):
    return [
        (k, segment_overhead(n_layers, k), segment_memory(n_layers, k, layer_units)) for k in range(1, n_layers + 1)
    ]
