"""The square root is rounded up."""
# loses: step6.nearest step6.small
# says: ceil


def optimal_segment(n_layers):
    return math.ceil(math.sqrt(n_layers))
