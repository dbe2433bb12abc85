"""The whole topic leaves out the biases, in the forward and in the backward."""
# alone: yes
# loses: step1.linear step1.layer step1.model step2.input_gradient step2.weights step2.biases
# says: bias

import numpy as np


def linear_forward(x, w, b):
    return x @ w


def relu(x):
    return np.maximum(x, 0)


def layer_forward(x, w1, b1, w2, b2):
    return relu(x @ w1) @ w2


def model_forward(x, params):
    activations = [x]
    for layer in params:
        activations.append(layer_forward(activations[-1], *layer))
    return activations[-1], activations


def model_backward(grad_output, activations, params):
    g = grad_output
    grads = []
    for x, (w1, b1, w2, b2) in zip(reversed(activations[:-1]), reversed(params)):
        h = relu(x @ w1)
        gz = (g @ w2.T) * (h > 0)
        grads.append((x.T @ gz, gz.sum(axis=0), h.T @ g, g.sum(axis=0)))
        g = gz @ w1.T
    return g, grads[::-1]


def model_forward_checkpointed(x, params, k=4):
    saved = []
    for i, layer in enumerate(params):
        if i % k == 0:
            saved.append(x)
        x = layer_forward(x, *layer)
    return x, saved


def model_backward_checkpointed(grad_output, saved_inputs, params, k=4):
    g = grad_output
    grads = []
    for start in reversed(range(0, len(params), k)):
        segment = params[start : start + k]
        g, segment_grads = model_backward(g, model_forward(saved_inputs[start // k], segment)[1], segment)
        grads = segment_grads + grads
    return g, grads
