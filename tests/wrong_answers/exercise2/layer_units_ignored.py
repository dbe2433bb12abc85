"""A layer holds 17 units whatever is said."""
# loses: exercise2.memory exercise2.store_all exercise2.sweep exercise2.best
# says: ignored


def segment_memory(n_layers, segment_size, layer_units=17):
    return math.ceil(n_layers / segment_size) - 1 + min(segment_size, n_layers) * 17
