"""The gradient of x is written into the x that was saved."""
# loses: exercise3.inputs
# says: changed


def attention_backward_selective(grad_output, saved, weights, n_heads):
    _, everything = given_attention_forward(saved["x"], weights, n_heads)
    grad_x, grads = given_attention_backward(grad_output, everything, weights, n_heads)
    saved["x"][...] = grad_x
    return saved["x"], grads
