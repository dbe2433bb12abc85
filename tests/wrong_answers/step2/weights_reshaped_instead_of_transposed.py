"""The weights are reshaped where they should be transposed."""
# loses: step2.input_gradient step2.weights step2.biases


def model_backward(grad_output, activations, params):
    g = grad_output
    grads = []
    for x, (w1, b1, w2, b2) in zip(reversed(activations[:-1]), reversed(params)):
        d, m = w1.shape
        h = relu(linear_forward(x, w1, b1))
        gz = (g @ w2.reshape(d, m)) * (h > 0)
        grads.append((x.T @ gz, gz.sum(axis=0), h.T @ g, g.sum(axis=0)))
        g = gz @ w1.reshape(m, d)
    return g, grads[::-1]
