"""The checkpointed forward runs with its default k."""
# loses: exercise1.parameters exercise1.input_gradient


def verify_checkpointing(x, params, k):
    output, activations = model_forward(x, params)
    ones = np.ones_like(output)
    grad_x, grads = model_backward(ones, activations, params)
    _, saved = model_forward_checkpointed(x, params)
    other_x, others = model_backward_checkpointed(ones, saved, params, min(k, 1))
    return max_gradient_difference([(grad_x,), *grads], [(other_x,), *others])
