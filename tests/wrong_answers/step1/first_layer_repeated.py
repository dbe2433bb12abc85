"""All layers use the parameters of the first one."""
# loses: step1.model


def model_forward(x, params):
    w1, b1, w2, b2 = params[0]
    activations = [x]
    for _ in params:
        activations.append(layer_forward(activations[-1], w1, b1, w2, b2))
    return activations[-1], activations
