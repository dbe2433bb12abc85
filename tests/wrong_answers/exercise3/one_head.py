"""All heads are one."""
# loses: exercise3.output exercise3.slope exercise3.large_scores
# says: n_heads is ignored


def attention_forward_selective(x, weights, n_heads):
    y, _ = given_attention_forward(x, weights, 1)
    return y, {"x": x}
