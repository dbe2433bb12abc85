"""Every layer starts from the gradient of the model's output."""
# loses: step2.input_gradient step2.weights step2.biases


def model_backward(grad_output, activations, params):
    grads = []
    for x, (w1, b1, w2, b2) in zip(activations, params):
        h = relu(linear_forward(x, w1, b1))
        gz = (grad_output @ w2.T) * (h > 0)
        grads.append((x.T @ gz, gz.sum(axis=0), h.T @ grad_output, grad_output.sum(axis=0)))
    w1, b1, w2, b2 = params[0]
    mask = linear_forward(activations[0], w1, b1) > 0
    return ((grad_output @ w2.T) * mask) @ w1.T, grads
