"""The square root is returned as it is."""
# loses: step6.nearest step6.small
# says: round it


def optimal_segment(n_layers):
    return math.sqrt(n_layers)
