"""Only the layers of the last segment get gradients."""
# loses: step3.gradients step3.uneven step3.edges
# says: last segment


def model_backward_checkpointed(grad_output, saved_inputs, params, k=4):
    grads = [tuple(np.zeros_like(p) for p in layer) for layer in params]
    start = (len(params) - 1) // k * k
    segment = params[start:]
    _, activations = model_forward(saved_inputs[start // k], segment)
    g, grads[start:] = model_backward(grad_output, activations, segment)
    return g, grads
