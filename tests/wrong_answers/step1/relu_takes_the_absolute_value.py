"""The negative values are mirrored instead of zeroed."""
# loses: step1.relu step1.layer step1.model
# says: absolute


def relu(x):
    return np.abs(x)
