"""The square root is cut off instead of rounded."""
# loses: step6.nearest
# says: floor


def optimal_segment(n_layers):
    return int(math.sqrt(n_layers))
