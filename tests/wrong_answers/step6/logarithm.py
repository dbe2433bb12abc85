"""The logarithm takes the place of the square root."""
# loses: step6.nearest


def optimal_segment(n_layers):
    return max(1, round(math.log2(n_layers)))
