"""The bias is forgotten."""
# loses: step1.linear step1.layer step1.model
# says: bias


def linear_forward(x, w, b):
    return x @ w
