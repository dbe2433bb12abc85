"""Everything is computed with one column per example and transposed at the end."""


def linear_forward(x, w, b):
    return (w.T @ x.T + b[:, None]).T


def model_backward(grad_output, activations, params):
    g = grad_output.T
    grads = []
    for x, (w1, b1, w2, b2) in zip(reversed(activations[:-1]), reversed(params)):
        z = w1.T @ x.T + b1[:, np.newaxis]
        h = np.maximum(z, 0)
        gz = (w2 @ g) * (z > 0)
        grads.append(((gz @ x).T, gz.sum(axis=1), (g @ h.T).T, g.sum(axis=1)))
        g = w1 @ gz
    return g.T, grads[::-1]
