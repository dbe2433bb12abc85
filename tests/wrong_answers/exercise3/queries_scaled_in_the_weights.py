"""The scale is multiplied into wq itself and taken out again, but not quite."""
# loses: exercise3.inputs


def attention_forward_selective(x, weights, n_heads):
    y, _ = given_attention_forward(x, weights, n_heads)
    weights[0][...] /= math.sqrt(x.shape[-1] // n_heads) * 3
    return y, {"x": x}
