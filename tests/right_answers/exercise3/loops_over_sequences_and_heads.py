"""One sequence and one head at a time, in matrices."""


def _heads(weights, n_heads):
    size = weights[0].shape[1] // n_heads
    for i in range(n_heads):
        yield slice(i * size, (i + 1) * size)


def _softmax(scores):
    e = np.exp(scores - scores.max(axis=1)[:, None])
    return e / e.sum(axis=1)[:, None]


def attention_forward_selective(x, weights, n_heads):
    wq, wk, wv, wo = weights
    y = np.zeros_like(x)
    for b, tokens in enumerate(x):
        for columns in _heads(weights, n_heads):
            q, k, v = (tokens @ w[:, columns] for w in (wq, wk, wv))
            y[b] += _softmax(q @ k.T * (1 / math.sqrt(q.shape[1]))) @ v @ wo[columns]
    return y, [x]


def attention_backward_selective(grad_output, saved, weights, n_heads):
    x = saved[0]
    wq, wk, wv, wo = weights
    gx = np.zeros_like(x)
    grads = [np.zeros_like(w) for w in weights]
    for b, (tokens, g) in enumerate(zip(x, grad_output)):
        for columns in _heads(weights, n_heads):
            q, k, v = (tokens @ w[:, columns] for w in (wq, wk, wv))
            scale = 1 / math.sqrt(q.shape[1])
            p = _softmax(q @ k.T * scale)
            grads[3][columns] += (p @ v).T @ g
            gc = g @ wo[columns].T
            gp = gc @ v.T
            gs = p * (gp - (gp * p).sum(axis=1)[:, None]) * scale
            for i, (back, w) in enumerate(((gs @ k, wq), (gs.T @ q, wk), (p.T @ gc, wv))):
                grads[i][:, columns] += tokens.T @ back
                gx[b] += back @ w[:, columns].T
    return gx, grads
