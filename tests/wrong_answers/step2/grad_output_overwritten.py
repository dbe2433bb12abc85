"""The gradient is passed from layer to layer inside the array grad_output."""
# loses: step2.inputs
# says: grad_output


def model_backward(grad_output, activations, params):
    g = grad_output
    grads = []
    for x, (w1, b1, w2, b2) in zip(reversed(activations[:-1]), reversed(params)):
        h = relu(linear_forward(x, w1, b1))
        gz = (g @ w2.T) * (h > 0)
        grads.append((x.T @ gz, gz.sum(axis=0), h.T @ g, g.sum(axis=0)))
        g[:] = gz @ w1.T
    return g, grads[::-1]
