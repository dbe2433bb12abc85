"""The smallest of segment sizes with equal memory is returned."""
# loses: exercise2.best
# says: largest


def best_segment(n_layers, layer_units=17):
    return min(sweep_segments(n_layers, layer_units), key=lambda point: point[1])[0]
