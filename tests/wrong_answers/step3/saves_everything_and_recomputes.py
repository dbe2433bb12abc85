"""Every activation is saved, and the segments are rebuilt all the same."""
# loses: step3.saved step3.forward_memory
# says: every layer


def model_forward_checkpointed(x, params, k=4):
    saved = []
    for layer in params:
        saved.append(x)
        x = layer_forward(x, *layer)
    return x, saved


def model_backward_checkpointed(grad_output, saved_inputs, params, k=4):
    g = grad_output
    grads = []
    for start in reversed(range(0, len(params), k)):
        segment = params[start : start + k]
        g, segment_grads = model_backward(g, model_forward(saved_inputs[start], segment)[1], segment)
        grads = segment_grads + grads
    return g, grads
