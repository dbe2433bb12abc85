"""The negative values are mirrored instead of zeroed."""
# topic: recompute
# loses: step1.relu step1.layer step1.model
# says: absolute


def relu(x):
    return np.abs(x)
