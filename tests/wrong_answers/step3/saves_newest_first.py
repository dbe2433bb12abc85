"""The saved inputs are listed from the last segment to the first."""
# loses: step3.saved
# says: reverse order


def model_forward_checkpointed(x, params, k=4):
    saved = []
    for i, layer in enumerate(params):
        if i % k == 0:
            saved.insert(0, x)
        x = layer_forward(x, *layer)
    return x, saved


def model_backward_checkpointed(grad_output, saved_inputs, params, k=4):
    starts = list(range(0, len(params), k))[::-1]
    g = grad_output
    grads = []
    for start, segment_input in zip(starts, saved_inputs):
        segment = params[start : start + k]
        g, segment_grads = model_backward(g, model_forward(segment_input, segment)[1], segment)
        grads = segment_grads + grads
    return g, grads
