"""Segments longer than the model are an error."""
# loses: exercise2.overhead
# says: ValueError


def segment_overhead(n_layers, segment_size):
    if segment_size > n_layers:
        raise ValueError("a segment cannot be longer than the model")
    return (math.ceil(n_layers / segment_size) - 1) * segment_size / (3 * n_layers)
