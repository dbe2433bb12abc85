"""ReLU is applied to the input of the layer."""
# loses: step1.layer step1.model


def layer_forward(x, w1, b1, w2, b2):
    return linear_forward(linear_forward(relu(x), w1, b1), w2, b2)
