"""L is squared instead of rooted."""
# topic: cost_model
# loses: step6.nearest step6.small


def optimal_segment(n_layers):
    return n_layers**2
