"""The bias is added to the weights before the product."""
# loses: step1.linear step1.layer step1.model


def linear_forward(x, w, b):
    return x @ (w + b)
