"""The sweep is a dict from k to memory and overhead."""
# loses: exercise2.sweep
# says: a dict


def sweep_segments(n_layers, layer_units=17):
    return {
        str(k): (segment_memory(n_layers, k, layer_units), segment_overhead(n_layers, k))
        for k in range(1, n_layers + 1)
    }


def best_segment(n_layers, layer_units=17):
    sweep = sweep_segments(n_layers, layer_units)
    return int(min(sweep, key=lambda k: (sweep[k][0], -int(k))))
