"""x is saved in single precision."""
# loses: exercise3.gradients exercise3.large_scores


def attention_forward_selective(x, weights, n_heads):
    y, _ = given_attention_forward(x, weights, n_heads)
    return y, {"x": x.astype(np.float32)}


def attention_backward_selective(grad_output, saved, weights, n_heads):
    _, everything = given_attention_forward(saved["x"].astype(grad_output.dtype), weights, n_heads)
    return given_attention_backward(grad_output, everything, weights, n_heads)
