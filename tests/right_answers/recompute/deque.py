"""A deque collects the gradients from the left."""

from collections import deque


def model_backward_checkpointed(grad_output, saved_inputs, params, k=4):
    g = grad_output
    grads = deque()
    starts = range(0, len(params), k)
    for start, x in zip(starts[::-1], list(saved_inputs)[len(starts) - 1 :: -1]):
        activations = deque([x])
        segment = params[start : start + k]
        for layer in segment[:-1]:
            activations.append(layer_forward(activations[-1], *layer))
        for layer in segment[::-1]:
            x = activations.pop()
            g, (layer_grads,) = model_backward(g, [x, x], [layer])
            grads.appendleft(layer_grads)
    return g, list(grads)
