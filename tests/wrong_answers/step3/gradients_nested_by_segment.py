"""The gradients are a list of segments instead of a list of layers."""
# loses: step3.gradients step3.uneven step3.edges


def model_backward_checkpointed(grad_output, saved_inputs, params, k=4):
    g = grad_output
    grads = []
    for start in reversed(range(0, len(params), k)):
        segment = params[start : start + k]
        g, segment_grads = model_backward(g, model_forward(saved_inputs[start // k], segment)[1], segment)
        grads.insert(0, segment_grads)
    return g, grads
