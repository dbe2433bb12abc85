"""Products with the dot method and tensordot."""


def linear_forward(x, w, b):
    return x.dot(w).__add__(b)


def model_backward(grad_output, activations, params):
    g = grad_output
    grads = []
    for x, (w1, b1, w2, b2) in zip(reversed(activations[:-1]), reversed(params)):
        h = relu(linear_forward(x, w1, b1))
        gz = np.inner(g, w2) * (h > 0)
        grads.append((np.tensordot(x, gz, axes=(0, 0)), gz.sum(0), np.tensordot(h, g, axes=([0], [0])), g.sum(0)))
        g = gz.dot(w1.T)
    return g, grads[::-1]
