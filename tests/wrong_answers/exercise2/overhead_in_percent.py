"""The overhead comes in percent."""
# loses: exercise2.overhead exercise2.sweep
# says: percentage


def segment_overhead(n_layers, segment_size):
    return 100 * (math.ceil(n_layers / segment_size) - 1) * segment_size / (3 * n_layers)
