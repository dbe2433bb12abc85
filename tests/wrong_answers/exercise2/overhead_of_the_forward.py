"""The recomputed layers are compared with one forward."""
# loses: exercise2.overhead exercise2.sweep
# says: forward alone


def segment_overhead(n_layers, segment_size):
    return (math.ceil(n_layers / segment_size) - 1) * segment_size / n_layers
