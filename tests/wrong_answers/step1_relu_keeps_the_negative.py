"""Minimum and maximum are confused: what is negative is kept."""
# topic: recompute
# loses: step1.relu step1.layer step1.model


def relu(x):
    return np.minimum(x, 0)
