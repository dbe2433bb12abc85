"""The list of activations holds the hidden values of each layer too."""
# loses: step1.model


def model_forward(x, params):
    activations = [x]
    for w1, b1, w2, b2 in params:
        hidden = relu(linear_forward(x, w1, b1))
        x = linear_forward(hidden, w2, b2)
        activations += [hidden, x]
    return x, activations
