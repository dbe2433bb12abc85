"""The gradients of the weights are not returned."""
# loses: exercise3.gradients exercise3.slope exercise3.large_scores
# says: four weights are missing


def attention_backward_selective(grad_output, saved, weights, n_heads):
    _, everything = given_attention_forward(saved["x"], weights, n_heads)
    return given_attention_backward(grad_output, everything, weights, n_heads)[0]
