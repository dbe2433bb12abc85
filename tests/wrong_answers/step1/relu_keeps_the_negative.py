"""Minimum and maximum are confused: what is negative is kept."""
# loses: step1.relu step1.layer step1.model


def relu(x):
    return np.minimum(x, 0)
