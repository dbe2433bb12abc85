"""Every layer is applied to x instead of the output of the layer before it."""
# loses: step1.model


def model_forward(x, params):
    activations = [x]
    for layer in params:
        activations.append(layer_forward(x, *layer))
    return activations[-1], activations
