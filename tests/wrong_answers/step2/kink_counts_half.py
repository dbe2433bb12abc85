"""ReLU's derivative at exactly 0 is taken to be one half."""
# loses: step2.kink


def model_backward(grad_output, activations, params):
    g = grad_output
    grads = [None] * len(params)
    for i in range(len(params) - 1, -1, -1):
        w1, b1, w2, b2 = params[i]
        x = activations[i]
        z = x @ w1 + b1
        h = np.maximum(z, 0)
        slope = np.heaviside(z, 0.5).astype(z.dtype)
        gz = g @ w2.T * slope
        grads[i] = (x.T @ gz, gz.sum(axis=0), h.T @ g, g.sum(axis=0))
        g = gz @ w1.T
    return g, grads
