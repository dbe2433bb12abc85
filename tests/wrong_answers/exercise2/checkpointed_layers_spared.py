"""A layer whose input is saved is not recomputed."""
# loses: exercise2.overhead exercise2.sweep
# says: spares no layer


def segment_overhead(n_layers, segment_size):
    return (n_layers - math.ceil(n_layers / segment_size)) / (3 * n_layers)
