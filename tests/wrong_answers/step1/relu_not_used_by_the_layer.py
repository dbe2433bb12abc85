"""The function relu takes an absolute value, which nobody notices because the layer has its own maximum."""
# loses: step1.relu
# says: absolute


def relu(x):
    return (x * x) ** 0.5


def layer_forward(x, w1, b1, w2, b2):
    z = linear_forward(x, w1, b1)
    return linear_forward(np.maximum(z, 0), w2, b2)
