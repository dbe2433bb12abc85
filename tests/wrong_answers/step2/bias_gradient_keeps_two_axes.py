"""The bias gradients have the shape (1, m) instead of (m,)."""
# loses: step2.biases


def model_backward(grad_output, activations, params):
    g = grad_output
    grads = []
    for x, (w1, b1, w2, b2) in zip(reversed(activations[:-1]), reversed(params)):
        h = relu(linear_forward(x, w1, b1))
        gz = (g @ w2.T) * (h > 0)
        gb1 = np.sum(gz, axis=0, keepdims=True)
        gb2 = np.sum(g, axis=0, keepdims=True)
        grads.append((x.T @ gz, gb1, h.T @ g, gb2))
        g = gz @ w1.T
    return g, grads[::-1]
