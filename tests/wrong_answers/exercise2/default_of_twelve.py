"""A layer holds 12 units unless said otherwise, as in step 5."""
# loses: exercise2.memory
# says: 17


def segment_memory(n_layers, segment_size, layer_units=12):
    return math.ceil(n_layers / segment_size) - 1 + min(segment_size, n_layers) * layer_units
