"""The gradients of a layer are in the order w1, w2, b1, b2."""
# loses: step2.weights step2.biases
# says: order


def model_backward(grad_output, activations, params):
    g = grad_output
    grads = []
    for x, (w1, b1, w2, b2) in zip(reversed(activations[:-1]), reversed(params)):
        h = relu(linear_forward(x, w1, b1))
        gz = (g @ w2.T) * (h > 0)
        grads.append((x.T @ gz, h.T @ g, gz.sum(axis=0), g.sum(axis=0)))
        g = gz @ w1.T
    return g, grads[::-1]
