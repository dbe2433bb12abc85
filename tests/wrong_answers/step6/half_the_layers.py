"""The model is cut in half."""
# loses: step6.nearest


def optimal_segment(n_layers):
    return max(1, n_layers // 2)
