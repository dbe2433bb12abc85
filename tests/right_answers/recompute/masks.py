"""ReLU is a product with a boolean mask, forward and backward."""


def relu(x):
    mask = x > 0
    return x * mask


def model_backward(grad_output, activations, params):
    g, grads = grad_output, []
    for x, (w1, b1, w2, b2) in list(zip(activations, params))[::-1]:
        z = linear_forward(x, w1, b1)
        mask = np.logical_not(np.less_equal(z, 0))
        gz = np.where(mask, g @ w2.transpose(), np.zeros_like(z))
        grads += [(x.transpose() @ gz, np.add.reduce(gz, axis=0), (z * mask).transpose() @ g, np.add.reduce(g))]
        g = gz @ np.transpose(w1)
    return g, grads[::-1]
