"""Only the gradient of x is compared."""
# loses: exercise1.parameters
# says: all gradients


def verify_checkpointing(x, params, k):
    output, activations = model_forward(x, params)
    ones = np.ones_like(output)
    grad_x, _ = model_backward(ones, activations, params)
    _, saved = model_forward_checkpointed(x, params, k)
    other_x, _ = model_backward_checkpointed(ones, saved, params, k)
    return float(np.abs(grad_x - other_x).max())
