"""A leaky ReLU lets one percent of the negative values through."""
# loses: step1.relu step1.layer step1.model
# says: scaled


def relu(x):
    return np.where(x > 0, x, 0.01 * x)
