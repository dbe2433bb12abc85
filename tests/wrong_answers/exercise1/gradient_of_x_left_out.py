"""Only the gradients of the parameters are compared."""
# loses: exercise1.input_gradient
# says: gradients of x


def verify_checkpointing(x, params, k):
    output, activations = model_forward(x, params)
    ones = np.ones_like(output)
    _, grads = model_backward(ones, activations, params)
    _, saved = model_forward_checkpointed(x, params, k)
    _, others = model_backward_checkpointed(ones, saved, params, k)
    return max_gradient_difference(grads, others)
