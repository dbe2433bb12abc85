"""ReLU is applied to the hidden values and once more to the output."""
# loses: step1.layer step1.model
# says: relu


def layer_forward(x, w1, b1, w2, b2):
    h = relu(linear_forward(x, w1, b1))
    return relu(linear_forward(h, w2, b2))
