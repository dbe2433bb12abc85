"""All that the given forward saves is saved."""
# loses: exercise3.saved
# says: times the bytes


def attention_forward_selective(x, weights, n_heads):
    return given_attention_forward(x, weights, n_heads)


def attention_backward_selective(grad_output, saved, weights, n_heads):
    return given_attention_backward(grad_output, saved, weights, n_heads)
