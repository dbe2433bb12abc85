"""grad_output is that of the mean of the output."""
# loses: exercise1.parameters
# says: ones


def verify_checkpointing(x, params, k):
    output, activations = model_forward(x, params)
    grad_output = np.ones_like(output) / output.size
    grad_x, grads = model_backward(grad_output, activations, params)
    _, saved = model_forward_checkpointed(x, params, k)
    other_x, others = model_backward_checkpointed(grad_output, saved, params, k)
    return max_gradient_difference([(grad_x,), *grads], [(other_x,), *others])
