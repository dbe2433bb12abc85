"""The best segment is the square root of L."""
# loses: exercise2.best
# says: textbook


def best_segment(n_layers, layer_units=17):
    return optimal_segment(n_layers)
