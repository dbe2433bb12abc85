"""Every column gets the sum of all biases."""
# loses: step1.linear step1.layer step1.model


def linear_forward(x, w, b):
    return x @ w + np.sum(b)
