"""The model computes everything and returns nothing."""
# loses: step1.model step1.dtype
# says: return


def model_forward(x, params):
    activations = [x]
    for layer in params:
        activations.append(layer_forward(activations[-1], *layer))
