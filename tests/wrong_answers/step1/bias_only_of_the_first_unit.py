"""Only the first entry of the bias is used, in a linear map that the layer does not call."""
# loses: step1.linear


def linear_forward(x, w, b):
    return x @ w + b[0]


def layer_forward(x, w1, b1, w2, b2):
    h = np.maximum(x @ w1 + b1, 0)
    return h @ w2 + b2
