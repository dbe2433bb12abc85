"""A batch of one sequence loses its first axis in the backward."""
# loses: exercise3.gradients


def attention_backward_selective(grad_output, saved, weights, n_heads):
    x = saved["x"]
    if len(x) == 1:
        x = np.squeeze(x, axis=0)
    _, everything = given_attention_forward(x, weights, n_heads)
    return given_attention_backward(grad_output, everything, weights, n_heads)
