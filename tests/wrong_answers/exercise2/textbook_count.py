"""A layer that is being differentiated counts as one unit, as in step 5."""
# loses: exercise2.memory exercise2.store_all exercise2.sweep exercise2.best
# says: layer_units


def segment_memory(n_layers, segment_size, layer_units=17):
    return math.ceil(n_layers / segment_size) + min(segment_size, n_layers)
