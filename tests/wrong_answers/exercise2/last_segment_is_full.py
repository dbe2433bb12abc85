"""The last segment is taken to have k layers."""
# loses: exercise2.overhead exercise2.sweep
# says: shorter


def segment_overhead(n_layers, segment_size):
    return max(0, n_layers - segment_size) / (3 * n_layers)
