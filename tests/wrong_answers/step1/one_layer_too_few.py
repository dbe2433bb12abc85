"""The last layer is not run."""
# loses: step1.model


def model_forward(x, params):
    activations = [x]
    for i in range(len(params) - 1):
        activations.append(layer_forward(activations[i], *params[i]))
    return activations[-1], activations
