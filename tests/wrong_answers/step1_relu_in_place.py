"""ReLU overwrites the negative values of its argument."""
# topic: recompute
# loses: step1.inputs


def relu(x):
    x[x < 0] = 0
    return x
