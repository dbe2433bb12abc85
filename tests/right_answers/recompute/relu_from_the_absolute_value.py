"""ReLU is half of x plus its absolute value, and its derivative comes from heaviside."""


def relu(x):
    return (x + abs(x)) / 2


def model_backward(grad_output, activations, params):
    g = grad_output
    grads = []
    for x, (w1, b1, w2, b2) in zip(reversed(activations[:-1]), reversed(params)):
        z = linear_forward(x, w1, b1)
        gz = g @ w2.T * np.heaviside(z, 0).astype(z.dtype)
        grads.insert(0, (x.T @ gz, gz.sum(axis=0), relu(z).T @ g, g.sum(axis=0)))
        g = gz @ w1.T
    return g, grads
