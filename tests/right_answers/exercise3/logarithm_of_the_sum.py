"""The softmax is exp(score - log of the sum), as in FlashAttention."""


def _projected(x, weights, n_heads):
    b, s, h = x.shape
    return ((x @ w).reshape(b, s, n_heads, h // n_heads).transpose(0, 2, 1, 3) for w in weights[:3])


def _probabilities(q, k):
    scores = np.matmul(q, k.transpose(0, 1, 3, 2)) * q.shape[3] ** -0.5
    lse = np.logaddexp.reduce(scores, axis=3, keepdims=True)
    return np.exp(scores - lse)


def attention_forward_selective(x, weights, n_heads):
    q, k, v = _projected(x, weights, n_heads)
    context = np.matmul(_probabilities(q, k), v).transpose(0, 2, 1, 3).reshape(x.shape)
    return np.dot(context, weights[3]), {"x": x}


def attention_backward_selective(grad_output, saved, weights, n_heads):
    x = saved["x"]
    q, k, v = _projected(x, weights, n_heads)
    p = _probabilities(q, k)
    flat = (-1, x.shape[-1])

    def merged(array):
        return array.transpose(0, 2, 1, 3).reshape(flat)

    context = np.matmul(p, v)
    gc = np.dot(grad_output, weights[3].T).reshape(*x.shape[:2], n_heads, -1).transpose(0, 2, 1, 3)
    # The sum over keys of the gradient times the probability is that of the context with its gradient.
    row = (gc * context).sum(axis=3, keepdims=True)
    gs = p * (np.matmul(gc, v.transpose(0, 1, 3, 2)) - row) * q.shape[3] ** -0.5
    back = [
        merged(np.matmul(gs, k)),
        merged(np.matmul(gs.transpose(0, 1, 3, 2), q)),
        merged(np.matmul(p.transpose(0, 1, 3, 2), gc)),
    ]
    gx = sum(g @ w.T for g, w in zip(back, weights)).reshape(x.shape)
    tokens = x.reshape(flat)
    return gx, (*(tokens.T @ g for g in back), merged(context).T @ grad_output.reshape(flat))
