"""The model is cut in half."""
# topic: cost_model
# loses: step6.nearest


def optimal_segment(n_layers):
    return max(1, n_layers // 2)
