"""The position in the sweep is returned, which starts at 0."""
# loses: exercise2.best


def best_segment(n_layers, layer_units=17):
    memory = [point[1] for point in sweep_segments(n_layers, layer_units)]
    return max(i for i, units in enumerate(memory) if units == min(memory))
