"""The whole topic in the style of the published lesson, without the reference."""
# alone: yes

import numpy as np


def linear_forward(x, w, b):
    return x @ w + b


def relu(x):
    return np.maximum(0, x)


def layer_forward(x, w1, b1, w2, b2):
    h = linear_forward(x, w1, b1)
    a = relu(h)
    y = linear_forward(a, w2, b2)
    return y


def model_forward(x, params):
    activations = [x]
    h = x
    for w1, b1, w2, b2 in params:
        h = layer_forward(h, w1, b1, w2, b2)
        activations.append(h)
    return h, activations


def model_backward(grad_output, activations, params):
    grads = []
    g = grad_output
    for i in range(len(params) - 1, -1, -1):
        w1, b1, w2, b2 = params[i]
        x_in = activations[i]
        pre = linear_forward(x_in, w1, b1)
        h = relu(pre)
        gw2 = h.T @ g
        gb2 = g.sum(axis=0)
        gh = g @ w2.T
        gpre = gh * (pre > 0)
        gw1 = x_in.T @ gpre
        gb1 = gpre.sum(axis=0)
        g = gpre @ w1.T
        grads.append((gw1, gb1, gw2, gb2))
    grads.reverse()
    return g, grads


def model_forward_checkpointed(x, params, k=4):
    saved_inputs = [x]
    h = x
    for i, (w1, b1, w2, b2) in enumerate(params):
        h = layer_forward(h, w1, b1, w2, b2)
        if (i + 1) % k == 0:
            saved_inputs.append(h)
    return h, saved_inputs


def model_backward_checkpointed(grad_output, saved_inputs, params, k=4):
    n = len(params)
    grads = [None] * n
    g = grad_output
    n_segments = (n + k - 1) // k
    for seg in range(n_segments - 1, -1, -1):
        start = seg * k
        end = min(start + k, n)
        segment_input = saved_inputs[seg]
        _, segment_activations = model_forward(segment_input, params[start:end])
        g, segment_grads = model_backward(g, segment_activations, params[start:end])
        for j, layer_grads in enumerate(segment_grads):
            grads[start + j] = layer_grads
    return g, grads
