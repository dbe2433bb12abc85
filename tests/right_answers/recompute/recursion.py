"""Every loop is a recursion."""


def model_forward(x, params):
    if len(params) == 0:
        return x, [x]
    output, rest = model_forward(layer_forward(x, *params[0]), params[1:])
    return output, [x] + rest


def model_backward(grad_output, activations, params):
    if len(params) == 0:
        return grad_output, []
    first, *others = params
    g, later = model_backward(grad_output, activations[1:], others)
    w1, b1, w2, b2 = first
    x = activations[0]
    # The gradient of this layer's output has just been returned by the recursion.
    h = relu(linear_forward(x, w1, b1))
    gz = (g @ w2.T) * (h > 0)
    return gz @ w1.T, [(x.T @ gz, gz.sum(0), h.T @ g, g.sum(0))] + later


def model_forward_checkpointed(x, params, k=4):
    if not params:
        return x, []
    saved = x
    for layer in params[:k]:
        x = layer_forward(x, *layer)
    output, rest = model_forward_checkpointed(x, params[k:], k)
    return output, [saved, *rest]


def model_backward_checkpointed(grad_output, saved_inputs, params, k=4):
    if not params:
        return grad_output, []
    g, later = model_backward_checkpointed(grad_output, saved_inputs[1:], params[k:], k)
    grad_x, mine = model_backward(g, model_forward(saved_inputs[0], params[:k])[1], params[:k])
    return grad_x, mine + later
