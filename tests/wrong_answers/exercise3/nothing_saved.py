"""The forward returns the output alone."""
# loses: exercise3.gradients exercise3.slope exercise3.large_scores exercise3.dtype exercise3.inputs
# says: an array


def attention_forward_selective(x, weights, n_heads):
    return given_attention_forward(x, weights, n_heads)[0]
