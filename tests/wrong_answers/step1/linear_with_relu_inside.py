"""The activation function is already inside the linear map."""
# loses: step1.linear step1.layer step1.model


def linear_forward(x, w, b):
    return np.maximum(x @ w + b, 0)
