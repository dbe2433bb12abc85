"""The bias is subtracted instead of added."""
# loses: step1.linear step1.layer step1.model
# says: subtracted


def linear_forward(x, w, b):
    return x @ w - b
