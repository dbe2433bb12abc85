"""Comprehensions and accumulate instead of loops."""

from itertools import accumulate


def layer_forward(x, w1, b1, w2, b2):
    return linear_forward(relu(linear_forward(x, w1, b1)), w2, b2)


def model_forward(x, params):
    activations = [*accumulate(params, lambda a, layer: layer_forward(a, *layer), initial=x)]
    return activations[-1], activations


def model_backward_checkpointed(grad_output, saved_inputs, params, k=4):
    g = grad_output
    pieces = [
        (
            result := model_backward(g, model_forward(saved_inputs[s // k], params[s : s + k])[1], params[s : s + k]),
            g := result[0],
        )[0][1]
        for s in reversed(range(0, len(params), k))
    ]
    return g, [layer for piece in pieces[::-1] for layer in piece]
