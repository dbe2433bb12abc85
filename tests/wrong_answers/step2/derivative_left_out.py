"""ReLU's derivative is left out."""
# loses: step2.input_gradient step2.weights step2.biases step2.kink
# says: derivative


def model_backward(grad_output, activations, params):
    g = grad_output
    grads = []
    for x, (w1, b1, w2, b2) in zip(reversed(activations[:-1]), reversed(params)):
        h = relu(linear_forward(x, w1, b1))
        gz = g @ w2.T
        grads.append((x.T @ gz, gz.sum(axis=0), h.T @ g, g.sum(axis=0)))
        g = gz @ w1.T
    return g, grads[::-1]
