"""The list of activations ends with the input of the last layer."""
# loses: step1.model
# says: ends with


def model_forward(x, params):
    activations = []
    for layer in params:
        activations.append(x)
        x = layer_forward(x, *layer)
    return x, activations
