"""A sigmoid takes the place of ReLU."""
# loses: step1.relu step1.layer step1.model


def relu(x):
    return 1 / (1 + np.exp(-x))
