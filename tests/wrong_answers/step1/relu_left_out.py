"""The layer is two linear maps with nothing between them."""
# loses: step1.layer step1.model
# says: relu


def layer_forward(x, w1, b1, w2, b2):
    return linear_forward(linear_forward(x, w1, b1), w2, b2)
