"""The activations are not returned."""
# loses: step1.model
# says: only the output


def model_forward(x, params):
    for layer in params:
        x = layer_forward(x, *layer)
    return x
