"""Every segment is run forward twice, once for its output and once for its activations."""
# loses: step3.recomputation
# says: more than once


def model_backward_checkpointed(grad_output, saved_inputs, params, k=4):
    g = grad_output
    grads = []
    for start in reversed(range(0, len(params), k)):
        segment = params[start : start + k]
        segment_input = saved_inputs[start // k]
        output, _ = model_forward(segment_input, segment)
        _, activations = model_forward(segment_input, segment)
        g, segment_grads = model_backward(g, activations, segment)
        del activations, _
        grads = segment_grads + grads
    return g, grads
