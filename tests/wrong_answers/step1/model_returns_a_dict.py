"""The model returns a dict instead of a pair."""
# loses: step1.model


def model_forward(x, params):
    activations = [x]
    for layer in params:
        activations.append(layer_forward(activations[-1], *layer))
    return {"output": activations[-1], "activations": activations}
