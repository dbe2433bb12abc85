"""One is added to the square root before it is cut off."""
# loses: step6.nearest step6.small


def optimal_segment(n_layers):
    return int(math.sqrt(n_layers) + 1)
