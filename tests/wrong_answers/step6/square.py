"""L is squared instead of rooted."""
# loses: step6.nearest step6.small


def optimal_segment(n_layers):
    return n_layers**2
