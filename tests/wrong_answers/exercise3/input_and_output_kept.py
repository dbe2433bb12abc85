"""The output is kept beside the input."""
# loses: exercise3.saved


def attention_forward_selective(x, weights, n_heads):
    y, _ = given_attention_forward(x, weights, n_heads)
    return y, {"x": x, "y": y}
