"""x is saved as a matrix of all tokens, twice as a view of the same memory."""


def attention_forward_selective(x, weights, n_heads):
    y, _ = given_attention_forward(x, weights, n_heads)
    return y, {"tokens": x.reshape(-1, x.shape[-1]), "shape": x.shape, "first": x[0]}


def attention_backward_selective(grad_output, saved, weights, n_heads):
    x = saved["tokens"].reshape(saved["shape"])
    _, everything = given_attention_forward(x, weights, n_heads)
    grad_x, grads = given_attention_backward(grad_output, everything, weights, n_heads)
    return [grad_x, list(grads)]
