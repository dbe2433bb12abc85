"""Every layer uses the ReLU pattern of the last layer."""
# loses: step2.input_gradient step2.weights step2.biases


def model_backward(grad_output, activations, params):
    w1, b1, w2, b2 = params[-1]
    mask = linear_forward(activations[-2], w1, b1) > 0
    g = grad_output
    grads = []
    for x, (w1, b1, w2, b2) in zip(reversed(activations[:-1]), reversed(params)):
        h = relu(linear_forward(x, w1, b1))
        gz = (g @ w2.T) * mask
        grads.append((x.T @ gz, gz.sum(axis=0), h.T @ g, g.sum(axis=0)))
        g = gz @ w1.T
    return g, grads[::-1]
