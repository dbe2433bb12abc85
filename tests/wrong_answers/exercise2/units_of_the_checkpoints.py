"""The units of a layer are given to the checkpoints."""
# loses: exercise2.memory exercise2.store_all exercise2.sweep exercise2.best
# says: saved inputs


def segment_memory(n_layers, segment_size, layer_units=17):
    return math.ceil(n_layers / segment_size) * layer_units + min(segment_size, n_layers)
