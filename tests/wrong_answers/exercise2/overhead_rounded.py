"""The overhead is rounded to three digits."""
# loses: exercise2.overhead exercise2.sweep


def segment_overhead(n_layers, segment_size):
    return round((math.ceil(n_layers / segment_size) - 1) * segment_size / (3 * n_layers), 3)
