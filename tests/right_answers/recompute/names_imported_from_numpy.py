"""Everything is imported by name."""

from numpy import dot, maximum, sum as total, zeros_like


def linear_forward(x, w, b):
    return dot(x, w) + b


def relu(x):
    return maximum(x, zeros_like(x))


def model_backward(grad_output, activations, params):
    grad, grads = grad_output, [None for _ in params]
    for i, (w1, b1, w2, b2) in reversed(list(enumerate(params))):
        z = dot(activations[i], w1) + b1
        dz = dot(grad, w2.T)
        dz[z <= 0] = 0
        grads[i] = dot(activations[i].T, dz), total(dz, 0), dot(relu(z).T, grad), total(grad, 0)
        grad = dot(dz, w1.T)
    return grad, grads
