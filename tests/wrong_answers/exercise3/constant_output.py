"""The output is zero and so are all gradients."""
# loses: exercise3.output exercise3.gradients exercise3.slope exercise3.large_scores
# says: does not change


def attention_forward_selective(x, weights, n_heads):
    return np.zeros_like(x), {"x": x}


def attention_backward_selective(grad_output, saved, weights, n_heads):
    return np.zeros_like(grad_output), tuple(np.zeros_like(w) for w in weights)
