"""The gradients are added to arrays of zeros, which are float64."""
# loses: step2.dtype
# says: float64


def model_backward(grad_output, activations, params):
    grads = [tuple(np.zeros(p.shape) for p in layer) for layer in params]
    g = grad_output
    for i in reversed(range(len(params))):
        w1, b1, w2, b2 = params[i]
        x = activations[i]
        h = relu(linear_forward(x, w1, b1))
        gz = (g @ w2.T) * (h > 0)
        grads[i][0][:] += x.T @ gz
        grads[i][1][:] += gz.sum(axis=0)
        grads[i][2][:] += h.T @ g
        grads[i][3][:] += g.sum(axis=0)
        g = gz @ w1.T
    return g, grads
