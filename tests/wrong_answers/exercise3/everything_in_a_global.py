"""Nothing is saved; the backward finds the last call in a global variable."""
# loses: exercise3.gradients exercise3.slope exercise3.large_scores exercise3.dtype

last = None


def attention_forward_selective(x, weights, n_heads):
    global last
    y, last = given_attention_forward(x, weights, n_heads)
    return y, None


def attention_backward_selective(grad_output, saved, weights, n_heads):
    return given_attention_backward(grad_output, last, weights, n_heads)
