"""The softmax runs over the queries."""
# loses: exercise3.output exercise3.slope exercise3.large_scores
# says: over the queries


def attention_forward_selective(x, weights, n_heads):
    wq, wk, wv, wo = weights
    q, k, v = (given_split_heads(x @ w, n_heads) for w in (wq, wk, wv))
    scores = q @ k.swapaxes(-1, -2) / math.sqrt(q.shape[-1])
    probs = np.exp(scores - scores.max(axis=-2, keepdims=True))
    probs /= probs.sum(axis=-2, keepdims=True)
    return given_merge_heads(probs @ v) @ wo, {"x": x}
