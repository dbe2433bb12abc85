"""The gradient of w2 uses the hidden values before ReLU."""
# loses: step2.weights


def model_backward(grad_output, activations, params):
    g = grad_output
    grads = []
    for x, (w1, b1, w2, b2) in zip(reversed(activations[:-1]), reversed(params)):
        z = linear_forward(x, w1, b1)
        gz = (g @ w2.T) * (z > 0)
        grads.append((x.T @ gz, gz.sum(axis=0), z.T @ g, g.sum(axis=0)))
        g = gz @ w1.T
    return g, grads[::-1]
