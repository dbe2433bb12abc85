"""Layers that do not fill a segment get no gradients, except when they are the whole model."""
# loses: step3.uneven


def model_backward_checkpointed(grad_output, saved_inputs, params, k=4):
    grads = [tuple(np.zeros_like(p) for p in layer) for layer in params]
    n_segments = max(1, len(params) // k)
    g = grad_output
    for j in reversed(range(n_segments)):
        segment = params[j * k : (j + 1) * k]
        _, activations = model_forward(saved_inputs[j], segment)
        g, grads[j * k : j * k + len(segment)] = model_backward(g, activations, segment)
        del activations
    return g, grads
