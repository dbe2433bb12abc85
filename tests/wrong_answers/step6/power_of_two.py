"""The square root is rounded to a power of two."""
# loses: step6.nearest


def optimal_segment(n_layers):
    return 2 ** round(math.log2(n_layers) / 2)
