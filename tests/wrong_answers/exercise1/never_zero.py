"""The result is held above 1e-7, so that its logarithm can be taken."""
# loses: exercise1.agreement
# says: rounding


def verify_checkpointing(x, params, k):
    output, activations = model_forward(x, params)
    ones = np.ones_like(output)
    grad_x, grads = model_backward(ones, activations, params)
    _, saved = model_forward_checkpointed(x, params, k)
    other_x, others = model_backward_checkpointed(ones, saved, params, k)
    return max(1e-7, max_gradient_difference([(grad_x,), *grads], [(other_x,), *others]))
