"""The values of x are saved as plain numbers."""
# loses: exercise3.saved


def attention_forward_selective(x, weights, n_heads):
    y, _ = given_attention_forward(x, weights, n_heads)
    return y, {"x": x, "checks": [float(value) for value in np.ravel(x)]}
