"""Each layer starts from its output instead of its input."""
# loses: step2.input_gradient step2.weights step2.biases


def model_backward(grad_output, activations, params):
    g = grad_output
    grads = [None] * len(params)
    for i in reversed(range(len(params))):
        w1, b1, w2, b2 = params[i]
        x = activations[i + 1]
        h = relu(linear_forward(x, w1, b1))
        gz = (g @ w2.T) * (h > 0)
        grads[i] = (x.T @ gz, gz.sum(axis=0), h.T @ g, g.sum(axis=0))
        g = gz @ w1.T
    return g, grads
