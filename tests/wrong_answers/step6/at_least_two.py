"""Segments of one layer are thought to be pointless."""
# loses: step6.small


def optimal_segment(n_layers):
    return max(2, round(math.sqrt(n_layers)))
