"""The return statement stands inside the loop, so only the last segment is returned."""
# loses: step3.gradients step3.uneven step3.edges
# says: last segment


def model_backward_checkpointed(grad_output, saved_inputs, params, k=4):
    g = grad_output
    grads = []
    for start in reversed(range(0, len(params), k)):
        segment = params[start : start + k]
        g, segment_grads = model_backward(g, model_forward(saved_inputs[start // k], segment)[1], segment)
        grads = segment_grads + grads
        return g, grads
