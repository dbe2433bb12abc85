"""Each segment is rebuilt from the saved input of the segment before it."""
# loses: step3.gradients step3.uneven step3.edges


def model_backward_checkpointed(grad_output, saved_inputs, params, k=4):
    g = grad_output
    grads = []
    for start in reversed(range(0, len(params), k)):
        segment = params[start : start + k]
        segment_input = saved_inputs[max(0, start // k - 1)]
        g, segment_grads = model_backward(g, model_forward(segment_input, segment)[1], segment)
        grads = segment_grads + grads
    return g, grads
