"""The gradients of wq and wk are swapped."""
# loses: exercise3.gradients exercise3.slope exercise3.large_scores
# says: order


def attention_backward_selective(grad_output, saved, weights, n_heads):
    _, everything = given_attention_forward(saved["x"], weights, n_heads)
    grad_x, (gwq, gwk, gwv, gwo) = given_attention_backward(grad_output, everything, weights, n_heads)
    return grad_x, (gwk, gwq, gwv, gwo)
