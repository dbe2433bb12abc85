"""The model returns the activations first and the output second."""
# loses: step1.model


def model_forward(x, params):
    activations = [x]
    for layer in params:
        activations.append(layer_forward(activations[-1], *layer))
    return activations, activations[-1]
