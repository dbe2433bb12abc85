"""A segment longer than the model has more layers than the model."""
# loses: exercise2.store_all
# says: longer than the model


def segment_memory(n_layers, segment_size, layer_units=17):
    return math.ceil(n_layers / segment_size) - 1 + segment_size * layer_units
