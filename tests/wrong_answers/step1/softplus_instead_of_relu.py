"""A smooth ReLU takes the place of the real one."""
# loses: step1.relu step1.layer step1.model


def relu(x):
    return np.logaddexp(x, 0)
