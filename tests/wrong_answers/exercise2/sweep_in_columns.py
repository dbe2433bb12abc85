"""The sweep is a tuple of three lists."""
# loses: exercise2.sweep
# says: three lists


def sweep_segments(n_layers, layer_units=17):
    ks = list(range(1, n_layers + 1))
    return (
        ks,
        [segment_memory(n_layers, k, layer_units) for k in ks],
        [segment_overhead(n_layers, k) for k in ks],
    )


def best_segment(n_layers, layer_units=17):
    ks, memory, _ = sweep_segments(n_layers, layer_units)
    return max(k for k, units in zip(ks, memory) if units == min(memory))
