"""A model of two layers is taken as one segment."""
# loses: step6.small


def optimal_segment(n_layers):
    return n_layers if n_layers <= 2 else int(math.sqrt(n_layers) + 0.5)
