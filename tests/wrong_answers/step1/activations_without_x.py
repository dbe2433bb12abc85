"""The list of activations begins with the output of the first layer."""
# loses: step1.model
# says: starts with x


def model_forward(x, params):
    activations = []
    for layer in params:
        x = layer_forward(x, *layer)
        activations.append(x)
    return x, activations
