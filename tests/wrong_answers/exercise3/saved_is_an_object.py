"""What is saved is an object of a class."""
# loses: exercise3.saved
# says: not a plain value


class Context:
    def __init__(self, x):
        self.x = x


def attention_forward_selective(x, weights, n_heads):
    y, _ = given_attention_forward(x, weights, n_heads)
    return y, Context(x)


def attention_backward_selective(grad_output, saved, weights, n_heads):
    _, everything = given_attention_forward(saved.x, weights, n_heads)
    return given_attention_backward(grad_output, everything, weights, n_heads)
