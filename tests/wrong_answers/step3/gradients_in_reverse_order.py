"""The gradients are listed from the last layer to the first."""
# loses: step3.gradients step3.uneven step3.edges
# says: reverse order


def model_backward_checkpointed(grad_output, saved_inputs, params, k=4):
    g = grad_output
    grads = []
    for start in reversed(range(0, len(params), k)):
        segment = params[start : start + k]
        g, segment_grads = model_backward(g, model_forward(saved_inputs[start // k], segment)[1], segment)
        grads.extend(reversed(segment_grads))
    return g, grads
