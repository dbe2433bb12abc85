"""The forward stops where the last full segment ends, and the backward never looks further."""
# loses: step3.output step3.saved step3.uneven step3.edges
# says: last segment


def model_forward_checkpointed(x, params, k=4):
    saved = []
    for j in range(len(params) // k):
        saved.append(x)
        for layer in params[j * k : (j + 1) * k]:
            x = layer_forward(x, *layer)
    return x, saved


def model_backward_checkpointed(grad_output, saved_inputs, params, k=4):
    g = grad_output
    grads = [tuple(np.zeros_like(p) for p in layer) for layer in params]
    for j, segment_input in reversed(list(enumerate(saved_inputs))):
        segment = params[j * k : (j + 1) * k]
        _, activations = model_forward(segment_input, segment)
        g, grads[j * k : (j + 1) * k] = model_backward(g, activations, segment)
        del activations
    return g, grads
