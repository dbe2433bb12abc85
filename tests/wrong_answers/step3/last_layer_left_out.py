"""The segments end one layer before the model does."""
# loses: step3.gradients step3.uneven step3.edges


def model_backward_checkpointed(grad_output, saved_inputs, params, k=4):
    grads = [tuple(np.zeros_like(p) for p in layer) for layer in params]
    last = len(params) - 1
    g = grad_output
    for start in reversed(range(0, last, k)):
        end = min(start + k, last)
        segment = params[start:end]
        _, activations = model_forward(saved_inputs[start // k], segment)
        g, grads[start:end] = model_backward(g, activations, segment)
        del activations
    return g, grads
