"""A single token attends to itself, so its value is returned, without the output projection."""
# loses: exercise3.output


def attention_forward_selective(x, weights, n_heads):
    if x.shape[1] == 1:
        return x @ weights[2], {"x": x}
    y, _ = given_attention_forward(x, weights, n_heads)
    return y, {"x": x}
