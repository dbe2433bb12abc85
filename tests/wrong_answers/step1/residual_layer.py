"""The layer adds its input to its output, as a transformer does."""
# loses: step1.layer step1.model


def layer_forward(x, w1, b1, w2, b2):
    return x + linear_forward(relu(linear_forward(x, w1, b1)), w2, b2)
