"""The activations come from a generator, which can be read only once."""
# loses: step1.model
# says: generator


def model_forward(x, params):
    activations = [x]
    for layer in params:
        activations.append(layer_forward(activations[-1], *layer))
    return activations[-1], (a for a in activations)
