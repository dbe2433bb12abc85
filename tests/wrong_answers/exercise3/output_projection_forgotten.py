"""The context is returned as the output."""
# loses: exercise3.output exercise3.slope exercise3.large_scores
# says: output projection


def attention_forward_selective(x, weights, n_heads):
    _, everything = given_attention_forward(x, weights, n_heads)
    return everything["context"], {"x": x}
