"""The list of activations is built from the front, so it runs from the output to x."""
# loses: step1.model
# says: reverse order


def model_forward(x, params):
    activations = [x]
    for layer in params:
        x = layer_forward(x, *layer)
        activations.insert(0, x)
    return x, activations
