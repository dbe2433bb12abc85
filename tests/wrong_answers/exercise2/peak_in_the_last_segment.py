"""The memory is that of the last, shorter segment."""
# loses: exercise2.memory exercise2.sweep exercise2.best
# says: shorter segment


def segment_memory(n_layers, segment_size, layer_units=17):
    segments = math.ceil(n_layers / segment_size)
    last = n_layers - (segments - 1) * segment_size
    return segments - 1 + last * layer_units
