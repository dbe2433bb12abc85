"""The bias is forgotten."""
# topic: recompute
# loses: step1.linear step1.layer step1.model
# says: bias


def linear_forward(x, w, b):
    return x @ w
