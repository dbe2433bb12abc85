"""Later tokens are masked, as in a decoder."""
# loses: exercise3.output exercise3.slope exercise3.large_scores
# says: masked


def attention_forward_selective(x, weights, n_heads):
    wq, wk, wv, wo = weights
    q, k, v = (given_split_heads(x @ w, n_heads) for w in (wq, wk, wv))
    scores = q @ k.swapaxes(-1, -2) / math.sqrt(q.shape[-1])
    scores = np.where(np.tri(x.shape[1], dtype=bool), scores, x.dtype.type(-np.inf))
    probs = np.exp(scores - scores.max(axis=-1, keepdims=True))
    probs /= probs.sum(axis=-1, keepdims=True)
    return given_merge_heads(probs @ v) @ wo, {"x": x}
