"""Only segment sizes that divide L are considered."""
# loses: exercise2.best


def best_segment(n_layers, layer_units=17):
    sweep = [point for point in sweep_segments(n_layers, layer_units) if n_layers % point[0] == 0]
    return min(sweep, key=lambda point: (point[1], -point[0]))[0]
