"""Each rebuilt segment is kept in a dict until the backward ends."""
# loses: step3.backward_memory


def model_backward_checkpointed(grad_output, saved_inputs, params, k=4):
    rebuilt = {}
    g = grad_output
    grads = [None] * len(params)
    for start in reversed(range(0, len(params), k)):
        segment = params[start : start + k]
        rebuilt[start] = model_forward(saved_inputs[start // k], segment)[1]
        g, grads[start : start + k] = model_backward(g, rebuilt[start], segment)
    return g, grads
