"""Segments are counted instead of layers, as if all had the same length."""
# loses: exercise2.overhead exercise2.sweep
# says: shorter than the others


def segment_overhead(n_layers, segment_size):
    segments = math.ceil(n_layers / segment_size)
    return (segments - 1) / (3 * segments)
