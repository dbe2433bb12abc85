"""The overhead is a third for every segment size."""
# loses: exercise2.overhead exercise2.sweep
# says: last segment


def segment_overhead(n_layers, segment_size):
    return 1 / 3
