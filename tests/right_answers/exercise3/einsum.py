"""Einstein sums from beginning to end."""

from math import sqrt


def _forward(x, weights, n_heads):
    wq, wk, wv, wo = (
        w.reshape(n_heads, -1, w.shape[1]) if i == 3 else w.reshape(w.shape[0], n_heads, -1)
        for i, w in enumerate(weights)
    )
    q, k, v = (np.einsum("bsh,hnd->bnsd", x, w) for w in (wq, wk, wv))
    scores = np.einsum("bnsd,bntd->bnst", q, k) / sqrt(q.shape[-1])
    scores -= scores.max(-1, keepdims=True)
    np.exp(scores, out=scores)
    probs = scores / np.einsum("bnst->bns", scores)[..., None]
    context = np.einsum("bnst,bntd->bnsd", probs, v)
    return (wq, wk, wv, wo), q, k, v, probs, context, np.einsum("bnsd,ndh->bsh", context, wo)


def attention_forward_selective(x, weights, n_heads):
    return _forward(x, weights, n_heads)[-1], (x,)


def attention_backward_selective(grad_output, saved, weights, n_heads):
    (x,) = saved
    (wq, wk, wv, wo), q, k, v, probs, context, _ = _forward(x, weights, n_heads)
    shape = weights[0].shape
    gwo = np.einsum("bnsd,bsh->ndh", context, grad_output).reshape(shape)
    gc = np.einsum("bsh,ndh->bnsd", grad_output, wo)
    gp = np.einsum("bnsd,bntd->bnst", gc, v)
    gs = probs * (gp - np.einsum("bnst,bnst->bns", gp, probs)[..., None]) / sqrt(q.shape[-1])
    gq, gk, gv = (
        np.einsum("bnst,bntd->bnsd", gs, k),
        np.einsum("bnst,bnsd->bntd", gs, q),
        np.einsum("bnst,bnsd->bntd", probs, gc),
    )
    gx = sum(np.einsum("bnsd,hnd->bsh", g, w) for g, w in ((gq, wq), (gk, wk), (gv, wv)))
    return gx, tuple(np.einsum("bsh,bnsd->hnd", x, g).reshape(shape) for g in (gq, gk, gv)) + (gwo,)
