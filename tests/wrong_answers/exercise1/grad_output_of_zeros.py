"""grad_output is zero, and so is every gradient."""
# loses: exercise1.parameters
# says: ones


def verify_checkpointing(x, params, k):
    output, activations = model_forward(x, params)
    grad_output = np.zeros_like(output)
    grad_x, grads = model_backward(grad_output, activations, params)
    _, saved = model_forward_checkpointed(x, params, k)
    other_x, others = model_backward_checkpointed(grad_output, saved, params, k)
    return max_gradient_difference([(grad_x,), *grads], [(other_x,), *others])
