"""The buffer of each saved input is reused for the gradient that flows through it."""
# loses: step3.inputs
# says: saved_inputs


def model_backward_checkpointed(grad_output, saved_inputs, params, k=4):
    g = grad_output
    grads = []
    for start in reversed(range(0, len(params), k)):
        segment = params[start : start + k]
        buffer = saved_inputs[start // k]
        buffer[:], segment_grads = model_backward(g, model_forward(buffer, segment)[1], segment)
        g = buffer
        grads = segment_grads + grads
    return g, grads
