"""The result is printed."""
# loses: exercise1.largest exercise1.not_finite exercise1.parameters exercise1.input_gradient
# says: return


def max_gradient_difference(grads_a, grads_b):
    if [[a.shape for a in layer] for layer in grads_a] != [[b.shape for b in layer] for layer in grads_b]:
        raise ValueError("different structure")
    print(np.max([np.abs(a - b).max() for one, two in zip(grads_a, grads_b) for a, b in zip(one, two)]))


def verify_checkpointing(x, params, k):
    output, activations = model_forward(x, params)
    grad_x, grads = model_backward(np.ones_like(output), activations, params)
    _, saved = model_forward_checkpointed(x, params, k)
    other_x, others = model_backward_checkpointed(np.ones_like(output), saved, params, k)
    return max_gradient_difference([(grad_x,), *grads], [(other_x,), *others])
