"""Every layer writes its output into x."""
# loses: step1.inputs
# says: in-place


def model_forward(x, params):
    activations = [x.copy()]
    for layer in params:
        x[...] = layer_forward(x, *layer)
        activations.append(x.copy())
    return activations[-1], activations
