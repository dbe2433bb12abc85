"""ReLU overwrites the negative values of its argument."""
# loses: step1.inputs
# says: in-place


def relu(x):
    x[x < 0] = 0
    return x
