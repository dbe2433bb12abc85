"""One array is overwritten by every layer, so all activations are the output."""
# loses: step1.model


def model_forward(x, params):
    current = x.copy()
    activations = [current]
    for layer in params:
        current[:] = layer_forward(current, *layer)
        activations.append(current)
    return current, activations
