"""The square root of L/2 is taken."""
# loses: step6.nearest


def optimal_segment(n_layers):
    return max(1, round(math.sqrt(n_layers / 2)))
