"""The mask of ReLU is an array of float64 ones and zeros."""
# loses: step2.dtype
# says: float64


def model_backward(grad_output, activations, params):
    g = grad_output
    grads = []
    for x, (w1, b1, w2, b2) in zip(reversed(activations[:-1]), reversed(params)):
        h = relu(linear_forward(x, w1, b1))
        gz = (g @ w2.T) * np.where(h > 0, np.ones(h.shape), np.zeros(h.shape))
        grads.append((x.T @ gz, gz.sum(axis=0), h.T @ g, g.sum(axis=0)))
        g = gz @ w1.T
    return g, grads[::-1]
