"""np.max(x, 0) is the largest value of each column, not a comparison with zero."""
# loses: step1.relu step1.layer step1.model


def relu(x):
    return np.max(x, 0)


def layer_forward(x, w1, b1, w2, b2):
    hidden = np.atleast_2d(relu(linear_forward(x, w1, b1)))
    return linear_forward(hidden, w2, b2)
