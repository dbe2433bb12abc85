"""Each entry is a pair of a layer number and an array."""
# loses: step3.saved


def model_forward_checkpointed(x, params, k=4):
    saved = []
    for i, layer in enumerate(params):
        if i % k == 0:
            saved.append((i, x))
        x = layer_forward(x, *layer)
    return x, saved


def model_backward_checkpointed(grad_output, saved_inputs, params, k=4):
    g = grad_output
    grads = []
    for start, segment_input in reversed(saved_inputs):
        segment = params[start : start + k]
        g, segment_grads = model_backward(g, model_forward(segment_input, segment)[1], segment)
        grads = segment_grads + grads
    return g, grads
