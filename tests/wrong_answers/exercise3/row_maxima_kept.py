"""The largest score of each row is kept for a stable softmax."""
# loses: exercise3.saved


def attention_forward_selective(x, weights, n_heads):
    wq, wk, _, _ = weights
    q, k = (given_split_heads(x @ w, n_heads) for w in (wq, wk))
    largest = (q @ k.swapaxes(-1, -2)).max(axis=-1)
    return given_attention_forward(x, weights, n_heads)[0], (x, largest)


def attention_backward_selective(grad_output, saved, weights, n_heads):
    _, everything = given_attention_forward(saved[0], weights, n_heads)
    return given_attention_backward(grad_output, everything, weights, n_heads)
