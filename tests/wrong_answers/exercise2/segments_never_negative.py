"""Without rounding the count of segments falls below one in a short model."""
# loses: exercise2.store_all


def segment_memory(n_layers, segment_size, layer_units=17):
    if segment_size > n_layers:
        return n_layers / segment_size - 1 + n_layers * layer_units
    return math.ceil(n_layers / segment_size) - 1 + segment_size * layer_units
