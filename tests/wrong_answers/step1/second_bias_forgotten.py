"""The second linear map of a layer has no bias."""
# loses: step1.layer step1.model
# says: bias


def layer_forward(x, w1, b1, w2, b2):
    h = relu(linear_forward(x, w1, b1))
    return h @ w2
