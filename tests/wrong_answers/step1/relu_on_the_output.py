"""ReLU is applied to the output of the layer instead of the hidden values."""
# loses: step1.layer step1.model
# says: relu


def layer_forward(x, w1, b1, w2, b2):
    h = linear_forward(x, w1, b1)
    return relu(linear_forward(h, w2, b2))
