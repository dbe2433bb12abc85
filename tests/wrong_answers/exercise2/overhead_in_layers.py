"""The recomputed layers are not divided by anything."""
# loses: exercise2.overhead exercise2.sweep
# says: divide


def segment_overhead(n_layers, segment_size):
    return (math.ceil(n_layers / segment_size) - 1) * segment_size
