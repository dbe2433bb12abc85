"""The least memory is returned instead of its segment size."""
# loses: exercise2.best
# says: least memory


def best_segment(n_layers, layer_units=17):
    return min(memory for _, memory, _ in sweep_segments(n_layers, layer_units))
