"""The scores are divided by a NumPy number, which makes them float64."""
# loses: exercise3.dtype
# says: math.sqrt


def attention_forward_selective(x, weights, n_heads):
    wq, wk, wv, wo = weights
    q, k, v = (given_split_heads(x @ w, n_heads) for w in (wq, wk, wv))
    scores = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
    probs = np.exp(scores - scores.max(axis=-1, keepdims=True))
    probs /= probs.sum(axis=-1, keepdims=True)
    return given_merge_heads(probs @ v) @ wo, {"x": x}
