"""The last segment always has k layers, so the boundaries are wrong when k does not divide L."""
# loses: step3.uneven


def model_backward_checkpointed(grad_output, saved_inputs, params, k=4):
    g = grad_output
    grads = []
    end = len(params)
    for segment_input in reversed(saved_inputs):
        segment = params[max(0, end - k) : end]
        g, segment_grads = model_backward(g, model_forward(segment_input, segment)[1], segment)
        grads = segment_grads + grads
        end -= k
    return g, grads
