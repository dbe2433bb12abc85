"""The gradients of the weights come in a dict."""
# loses: exercise3.gradients exercise3.slope exercise3.large_scores
# says: a dict


def attention_backward_selective(grad_output, saved, weights, n_heads):
    _, everything = given_attention_forward(saved["x"], weights, n_heads)
    grad_x, grads = given_attention_backward(grad_output, everything, weights, n_heads)
    return grad_x, dict(zip(("wq", "wk", "wv", "wo"), grads))
