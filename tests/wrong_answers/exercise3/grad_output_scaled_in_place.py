"""grad_output is projected in place."""
# loses: exercise3.inputs
# says: grad_output


def attention_backward_selective(grad_output, saved, weights, n_heads):
    _, everything = given_attention_forward(saved["x"], weights, n_heads)
    result = given_attention_backward(grad_output, everything, weights, n_heads)
    grad_output *= 0
    return result
