"""The input of the segment at work is counted beside its layers."""
# loses: exercise2.memory exercise2.store_all exercise2.sweep
# says: counted twice


def segment_memory(n_layers, segment_size, layer_units=17):
    return math.ceil(n_layers / segment_size) + min(segment_size, n_layers) * layer_units
