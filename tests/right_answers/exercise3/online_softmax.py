"""The forward reads the keys one after the other and never holds a row of scores."""


def attention_forward_selective(x, weights, n_heads):
    wq, wk, wv, wo = weights
    q, k, v = (given_split_heads(x @ w, n_heads) for w in (wq, wk, wv))
    scale = float(q.shape[-1]) ** -0.5
    largest = np.full((*q.shape[:-1], 1), -np.inf, dtype=x.dtype)
    total = np.zeros_like(largest)
    context = np.zeros_like(q)
    for j in range(k.shape[2]):
        score = (q * k[:, :, j : j + 1]).sum(axis=-1, keepdims=True) * scale
        new = np.maximum(largest, score)
        shrink, weight = np.exp(largest - new), np.exp(score - new)
        total = total * shrink + weight
        context = context * shrink + weight * v[:, :, j : j + 1]
        largest = new
    return given_merge_heads(context / total) @ wo, {"x": x}
