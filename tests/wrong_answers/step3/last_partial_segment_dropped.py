"""Layers that do not fill a segment get no gradients."""
# loses: step3.uneven step3.edges


def model_backward_checkpointed(grad_output, saved_inputs, params, k=4):
    grads = [tuple(np.zeros_like(p) for p in layer) for layer in params]
    g = grad_output
    for j in reversed(range(len(params) // k)):
        segment = params[j * k : (j + 1) * k]
        _, activations = model_forward(saved_inputs[j], segment)
        g, grads[j * k : (j + 1) * k] = model_backward(g, activations, segment)
        del activations
    return g, grads
