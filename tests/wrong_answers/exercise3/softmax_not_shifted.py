"""exp meets the scores as they are."""
# loses: exercise3.large_scores
# says: exp overflows


def everything_of(x, weights, n_heads):
    wq, wk, wv, wo = weights
    q, k, v = (given_split_heads(x @ w, n_heads) for w in (wq, wk, wv))
    with np.errstate(all="ignore"):
        probs = np.exp(q @ k.swapaxes(-1, -2) / math.sqrt(q.shape[-1]))
        probs /= probs.sum(axis=-1, keepdims=True)
    return {"x": x, "q": q, "k": k, "v": v, "probs": probs, "context": given_merge_heads(probs @ v)}


def attention_forward_selective(x, weights, n_heads):
    return everything_of(x, weights, n_heads)["context"] @ weights[3], {"x": x}


def attention_backward_selective(grad_output, saved, weights, n_heads):
    return given_attention_backward(grad_output, everything_of(saved["x"], weights, n_heads), weights, n_heads)
