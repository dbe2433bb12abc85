"""The activations are stacked into one array instead of a list."""
# loses: step1.model


def model_forward(x, params):
    activations = [x]
    for layer in params:
        activations.append(layer_forward(activations[-1], *layer))
    return activations[-1], np.array(activations)
