"""The last layer of every full segment is left out."""
# loses: step3.gradients step3.uneven step3.edges


def model_backward_checkpointed(grad_output, saved_inputs, params, k=4):
    grads = [tuple(np.zeros_like(p) for p in layer) for layer in params]
    g = grad_output
    for start in reversed(range(0, len(params), k)):
        segment = params[start : start + k - 1]
        _, activations = model_forward(saved_inputs[start // k], segment)
        g, grads[start : start + len(segment)] = model_backward(g, activations, segment)
        del activations
    return g, grads
