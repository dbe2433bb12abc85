"""ReLU returns ones and zeros, which is its derivative."""
# loses: step1.relu step1.layer step1.model


def relu(x):
    return (x > 0).astype(x.dtype)
