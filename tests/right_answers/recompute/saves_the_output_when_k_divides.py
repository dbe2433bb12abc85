"""The saved list ends with the output when k divides L, as in the published lesson."""


def model_forward_checkpointed(x, params, k=4):
    saved = [x]
    for i, layer in enumerate(params):
        x = layer_forward(x, *layer)
        if (i + 1) % k == 0:
            saved.append(x)
    return x, saved


def model_backward_checkpointed(grad_output, saved_inputs, params, k=4):
    g = grad_output
    grads = [None] * len(params)
    end = len(params)
    while end > 0:
        start = (end - 1) // k * k
        _, activations = model_forward(saved_inputs[start // k], params[start:end])
        g, grads[start:end] = model_backward(g, activations, params[start:end])
        del activations
        end = start
    return g, grads
