"""The segment size doubles from one point to the next."""
# loses: exercise2.sweep
# says: missing


def sweep_segments(n_layers, layer_units=17):
    points, k = [], 1
    while k <= n_layers:
        points.append((k, segment_memory(n_layers, k, layer_units), segment_overhead(n_layers, k)))
        k *= 2
    return points


def best_segment(n_layers, layer_units=17):
    memory = [segment_memory(n_layers, k, layer_units) for k in range(1, n_layers + 1)]
    return max(k for k in range(1, n_layers + 1) if memory[k - 1] == min(memory))
