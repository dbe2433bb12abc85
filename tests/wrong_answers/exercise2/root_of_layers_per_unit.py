"""The best segment is the rounded root of L / layer_units."""
# loses: exercise2.best
# says: near the best


def best_segment(n_layers, layer_units=17):
    return max(1, round(math.sqrt(n_layers / layer_units)))
