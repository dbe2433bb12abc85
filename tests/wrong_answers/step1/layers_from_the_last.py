"""The layers run in reverse order."""
# loses: step1.model


def model_forward(x, params):
    activations = [x]
    for layer in params[::-1]:
        activations.append(layer_forward(activations[-1], *layer))
    return activations[-1], activations
