"""The gradient of x comes back through the values alone."""
# loses: exercise3.gradients exercise3.slope exercise3.large_scores
# says: through q, k and v


def attention_backward_selective(grad_output, saved, weights, n_heads):
    _, everything = given_attention_forward(saved["x"], weights, n_heads)
    _, grads = given_attention_backward(grad_output, everything, weights, n_heads)
    grad_heads = given_split_heads(grad_output @ weights[3].T, n_heads)
    grad_v = given_merge_heads(everything["probs"].swapaxes(-1, -2) @ grad_heads)
    return grad_v @ weights[2].T, grads
