"""Scores are clipped to what exp can bear."""
# loses: exercise3.large_scores


def attention_forward_selective(x, weights, n_heads):
    wq, wk, wv, wo = weights
    q, k, v = (given_split_heads(x @ w, n_heads) for w in (wq, wk, wv))
    probs = np.exp(np.clip(q @ k.swapaxes(-1, -2) / math.sqrt(q.shape[-1]), -80, 80))
    probs /= probs.sum(axis=-1, keepdims=True)
    return given_merge_heads(probs @ v) @ wo, {"x": x}
