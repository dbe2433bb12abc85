"""The gradients of the weights are added up in arrays of float64."""
# loses: exercise3.dtype


def attention_backward_selective(grad_output, saved, weights, n_heads):
    _, everything = given_attention_forward(saved["x"], weights, n_heads)
    totals = [np.zeros(w.shape) for w in weights]
    grad_x, grads = given_attention_backward(grad_output, everything, weights, n_heads)
    for total, grad in zip(totals, grads):
        total += grad
    return grad_x, tuple(totals)
