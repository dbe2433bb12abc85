"""Every segment is rebuilt with the parameters of the first one."""
# loses: step3.gradients step3.uneven


def model_backward_checkpointed(grad_output, saved_inputs, params, k=4):
    g = grad_output
    grads = []
    for start in reversed(range(0, len(params), k)):
        segment = params[start : start + k]
        _, activations = model_forward(saved_inputs[start // k], params[: len(segment)])
        g, segment_grads = model_backward(g, activations, segment)
        del activations
        grads = segment_grads + grads
    return g, grads
