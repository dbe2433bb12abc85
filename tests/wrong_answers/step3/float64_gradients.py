"""The gradients are collected in arrays of zeros, which are float64."""
# loses: step3.dtype
# says: float64


def model_backward_checkpointed(grad_output, saved_inputs, params, k=4):
    grads = [[np.zeros(p.shape) for p in layer] for layer in params]
    g = grad_output
    for start in reversed(range(0, len(params), k)):
        segment = params[start : start + k]
        g, segment_grads = model_backward(g, model_forward(saved_inputs[start // k], segment)[1], segment)
        for total, layer_grads in zip(grads[start : start + k], segment_grads):
            for a, b in zip(total, layer_grads):
                a += b
    return g, grads
