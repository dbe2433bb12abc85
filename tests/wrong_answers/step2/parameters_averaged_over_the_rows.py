"""All parameter gradients are divided by the number of rows, as if the loss were a mean."""
# loses: step2.weights step2.biases
# says: mean


def model_backward(grad_output, activations, params):
    n = grad_output.shape[0]
    g = grad_output
    grads = []
    for x, (w1, b1, w2, b2) in zip(reversed(activations[:-1]), reversed(params)):
        h = relu(linear_forward(x, w1, b1))
        gz = (g @ w2.T) * (h > 0)
        grads.append((x.T @ gz / n, gz.sum(axis=0) / n, h.T @ g / n, g.sum(axis=0) / n))
        g = gz @ w1.T
    return g, grads[::-1]
