"""Lists wherever the description says tuple, the returned pairs included."""


def model_forward(x, params):
    activations = [x]
    for layer in params:
        activations.append(layer_forward(activations[-1], *layer))
    return [activations[-1], activations]


def model_backward(grad_output, activations, params):
    g, grads = grad_output, []
    for x, (w1, b1, w2, b2) in zip(activations[-2::-1], params[::-1]):
        h = relu(linear_forward(x, w1, b1))
        gz = (g @ w2.T) * (h > 0)
        grads.append([x.T @ gz, gz.sum(axis=0), h.T @ g, g.sum(axis=0)])
        g = gz @ w1.T
    grads.reverse()
    return [g, grads]
