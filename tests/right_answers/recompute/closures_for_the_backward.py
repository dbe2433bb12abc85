"""Every layer's forward returns a closure that knows its backward, as a tape does."""


def layer_with_backward(x, w1, b1, w2, b2):
    z = x @ w1 + b1
    h = np.maximum(z, 0)

    def backward(g):
        gz = (g @ w2.T) * (z > 0)
        return gz @ w1.T, (x.T @ gz, gz.sum(axis=0), h.T @ g, g.sum(axis=0))

    return h @ w2 + b2, backward


def model_backward(grad_output, activations, params):
    g, grads = grad_output, []
    for x, layer in zip(reversed(activations[:-1]), reversed(params)):
        _, backward = layer_with_backward(x, *layer)
        g, layer_grads = backward(g)
        grads.append(layer_grads)
    return g, grads[::-1]


def model_backward_checkpointed(grad_output, saved_inputs, params, k=4):
    g = grad_output
    grads = []
    for j in reversed(range((len(params) + k - 1) // k)):
        x, tape = saved_inputs[j], []
        for layer in params[j * k : (j + 1) * k]:
            x, backward = layer_with_backward(x, *layer)
            tape.append(backward)
        del x, backward
        while tape:
            g, layer_grads = tape.pop()(g)
            grads.append(layer_grads)
    return g, grads[::-1]
