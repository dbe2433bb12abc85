"""The best segment is always that of 17 units."""
# loses: exercise2.best


def best_segment(n_layers, layer_units=17):
    return min(sweep_segments(n_layers), key=lambda point: (point[1], -point[0]))[0]
