"""The gradients are listed from the last layer to the first."""
# loses: step2.weights step2.biases
# says: reverse order


def model_backward(grad_output, activations, params):
    g = grad_output
    grads = []
    for i in reversed(range(len(params))):
        w1, b1, w2, b2 = params[i]
        x = activations[i]
        z = linear_forward(x, w1, b1)
        h = relu(z)
        gz = (g @ w2.T) * (z > 0)
        grads.append((x.T @ gz, gz.sum(axis=0), h.T @ g, g.sum(axis=0)))
        g = gz @ w1.T
    return g, grads
