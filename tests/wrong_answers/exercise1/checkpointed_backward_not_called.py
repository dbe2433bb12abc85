"""Both sides run model_backward."""
# loses: exercise1.parameters exercise1.input_gradient
# says: not called


def verify_checkpointing(x, params, k):
    output, activations = model_forward(x, params)
    ones = np.ones_like(output)
    grad_x, grads = model_backward(ones, activations, params)
    again, saved = model_forward_checkpointed(x, params, k)
    _, rebuilt = model_forward(saved[0], params)
    other_x, others = model_backward(ones, rebuilt, params)
    return max_gradient_difference([(grad_x,), *grads], [(other_x,), *others])
