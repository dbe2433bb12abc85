"""The list starts with x and then gets x again as the input of the first segment."""
# loses: step3.saved


def model_forward_checkpointed(x, params, k=4):
    saved = [x]
    for i, layer in enumerate(params):
        if i % k == 0:
            saved.append(x)
        x = layer_forward(x, *layer)
    return x, saved


def model_backward_checkpointed(grad_output, saved_inputs, params, k=4):
    g = grad_output
    grads = []
    for j in reversed(range(len(saved_inputs) - 1)):
        segment = params[j * k : (j + 1) * k]
        g, segment_grads = model_backward(g, model_forward(saved_inputs[j + 1], segment)[1], segment)
        grads = segment_grads + grads
    return g, grads
