"""The gradient of w1 has been brought into shape by reshape."""
# loses: step2.weights


def model_backward(grad_output, activations, params):
    g = grad_output
    grads = []
    for x, (w1, b1, w2, b2) in zip(reversed(activations[:-1]), reversed(params)):
        h = relu(linear_forward(x, w1, b1))
        gz = (g @ w2.T) * (h > 0)
        gw1 = (gz.T @ x).reshape(w1.shape)
        grads.append((gw1, gz.sum(axis=0), h.T @ g, g.sum(axis=0)))
        g = gz @ w1.T
    return g, grads[::-1]
