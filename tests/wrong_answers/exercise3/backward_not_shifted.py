"""Only the forward shifts the scores."""
# loses: exercise3.large_scores
# says: exp overflows


def attention_backward_selective(grad_output, saved, weights, n_heads):
    x = saved["x"]
    wq, wk, wv, wo = weights
    q, k, v = (given_split_heads(x @ w, n_heads) for w in (wq, wk, wv))
    with np.errstate(all="ignore"):
        probs = np.exp(q @ k.swapaxes(-1, -2) / math.sqrt(q.shape[-1]))
        probs /= probs.sum(axis=-1, keepdims=True)
    everything = {"x": x, "q": q, "k": k, "v": v, "probs": probs, "context": given_merge_heads(probs @ v)}
    return given_attention_backward(grad_output, everything, weights, n_heads)
