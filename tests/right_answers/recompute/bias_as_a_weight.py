"""A column of ones turns the bias into one more row of weights."""


def with_ones(x):
    return np.concatenate([x, np.ones((len(x), 1), x.dtype)], axis=1)


def linear_forward(x, w, b):
    return with_ones(x) @ np.concatenate([w, b[None, :]])


def model_backward(grad_output, activations, params):
    g = grad_output
    grads = []
    for x, (w1, b1, w2, b2) in zip(reversed(activations[:-1]), reversed(params)):
        h = relu(linear_forward(x, w1, b1))
        gz = (g @ w2.T) * (h > 0)
        grads.append((x.T @ gz, gz.sum(axis=0), h.T @ g, g.sum(axis=0)))
        g = gz @ w1.T
    return g, grads[::-1]
