"""Each segment is rebuilt inside its saved input, and the activations are copies."""
# loses: step3.inputs


def model_backward_checkpointed(grad_output, saved_inputs, params, k=4):
    g = grad_output
    grads = []
    for start in reversed(range(0, len(params), k)):
        segment = params[start : start + k]
        current = saved_inputs[start // k]
        activations = [current.copy()]
        for layer in segment:
            current[:] = layer_forward(current, *layer)
            activations.append(current.copy())
        g, segment_grads = model_backward(g, activations, segment)
        del activations
        grads = segment_grads + grads
    return g, grads
