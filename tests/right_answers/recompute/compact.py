"""The whole topic in as few lines as possible, without the reference."""
# alone: yes

import numpy as xp

linear_forward = lambda x, w, b: x @ w + b
relu = lambda x: xp.maximum(x, 0)


def layer_forward(x, w1, b1, w2, b2):
    return relu(x @ w1 + b1) @ w2 + b2


def model_forward(x, params):
    a = [x]
    [a.append(layer_forward(a[-1], *p)) for p in params]
    return a[-1], a


def model_backward(grad_output, activations, params):
    g, out = grad_output, []
    for x, (w1, b1, w2, _) in zip(activations[-2::-1], params[::-1]):
        z = x @ w1 + b1
        gz = (z > 0) * (g @ w2.T)
        out.append((x.T @ gz, gz.sum(0), relu(z).T @ g, g.sum(0)))
        g = gz @ w1.T
    return g, out[::-1]


def model_forward_checkpointed(x, params, k=4):
    saved = []
    for i, p in enumerate(params):
        saved += [x] * (i % k == 0)
        x = layer_forward(x, *p)
    return x, saved


def model_backward_checkpointed(grad_output, saved_inputs, params, k=4):
    g, out = grad_output, []
    for s in range(0, len(params), k)[::-1]:
        p = params[s : s + k]
        g, part = model_backward(g, model_forward(saved_inputs[s // k], p)[1], p)
        out[:0] = part
    return g, out
