"""All entries of the list are the gradients of the first layer."""
# loses: step2.weights step2.biases


def model_backward(grad_output, activations, params):
    g = grad_output
    for x, (w1, b1, w2, b2) in zip(reversed(activations[:-1]), reversed(params)):
        h = relu(linear_forward(x, w1, b1))
        gz = (g @ w2.T) * (h > 0)
        layer_grads = (x.T @ gz, gz.sum(axis=0), h.T @ g, g.sum(axis=0))
        g = gz @ w1.T
    return g, [layer_grads] * len(params)
