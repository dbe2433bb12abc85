"""The derivative of the softmax lacks its second term."""
# loses: exercise3.gradients exercise3.slope exercise3.large_scores
# says: derivative of the softmax


def attention_backward_selective(grad_output, saved, weights, n_heads):
    _, s = given_attention_forward(saved["x"], weights, n_heads)
    wq, wk, wv, wo = weights
    tokens = ((0, 1), (0, 1))
    grad_heads = given_split_heads(grad_output @ wo.T, n_heads)
    grad_scores = s["probs"] * (grad_heads @ s["v"].swapaxes(-1, -2)) / math.sqrt(s["q"].shape[-1])
    grad_q = given_merge_heads(grad_scores @ s["k"])
    grad_k = given_merge_heads(grad_scores.swapaxes(-1, -2) @ s["q"])
    grad_v = given_merge_heads(s["probs"].swapaxes(-1, -2) @ grad_heads)
    return grad_q @ wq.T + grad_k @ wk.T + grad_v @ wv.T, (
        np.tensordot(s["x"], grad_q, tokens),
        np.tensordot(s["x"], grad_k, tokens),
        np.tensordot(s["x"], grad_v, tokens),
        np.tensordot(s["context"], grad_output, tokens),
    )
