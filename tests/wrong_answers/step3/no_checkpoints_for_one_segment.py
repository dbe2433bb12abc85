"""With one segment only, the backward returns the gradient of the output as that of x."""
# loses: step3.edges


def model_backward_checkpointed(grad_output, saved_inputs, params, k=4):
    if k >= len(params):
        _, activations = model_forward(saved_inputs[0], params)
        _, grads = model_backward(grad_output, activations, params)
        return grad_output, grads
    g = grad_output
    grads = []
    for start in reversed(range(0, len(params), k)):
        segment = params[start : start + k]
        g, segment_grads = model_backward(g, model_forward(saved_inputs[start // k], segment)[1], segment)
        grads = segment_grads + grads
    return g, grads
