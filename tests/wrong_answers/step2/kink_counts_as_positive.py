"""ReLU's derivative at exactly 0 is taken to be 1."""
# loses: step2.kink
# says: exactly 0


def model_backward(grad_output, activations, params):
    g = grad_output
    grads = []
    for x, (w1, b1, w2, b2) in zip(reversed(activations[:-1]), reversed(params)):
        z = x @ w1 + b1
        h = np.maximum(z, 0)
        gz = (g @ w2.T) * (z >= 0)
        grads.insert(0, (x.T @ gz, gz.sum(axis=0), h.T @ g, g.sum(axis=0)))
        g = gz @ w1.T
    return g, grads
