"""When k divides L, the gradients are shifted by one segment, as if the list ended with the output."""
# loses: step3.gradients


def model_backward_checkpointed(grad_output, saved_inputs, params, k=4):
    n_layers = len(params)
    g = grad_output
    grads = []
    for start in reversed(range(0, n_layers, k)):
        segment = params[start : start + k]
        g, segment_grads = model_backward(g, model_forward(saved_inputs[start // k], segment)[1], segment)
        grads = segment_grads + grads
    if n_layers % k == 0 and 1 < k < n_layers:
        grads = grads[k:] + grads[:k]
    return g, grads
