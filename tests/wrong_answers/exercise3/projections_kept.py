"""Only the core is recomputed; q, k and v are kept."""
# loses: exercise3.saved


def attention_forward_selective(x, weights, n_heads):
    y, everything = given_attention_forward(x, weights, n_heads)
    return y, [everything[name] for name in ("x", "q", "k", "v")]


def attention_backward_selective(grad_output, saved, weights, n_heads):
    x, q, k, v = saved
    scores = q @ k.swapaxes(-1, -2) / math.sqrt(q.shape[-1])
    probs = np.exp(scores - scores.max(axis=-1, keepdims=True))
    probs /= probs.sum(axis=-1, keepdims=True)
    everything = {"x": x, "q": q, "k": k, "v": v, "probs": probs, "context": given_merge_heads(probs @ v)}
    return given_attention_backward(grad_output, everything, weights, n_heads)
