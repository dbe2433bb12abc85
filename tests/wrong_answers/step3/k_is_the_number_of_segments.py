"""k is taken for the number of segments, as in the paper, not for their length."""
# loses: step3.saved step3.backward_memory


def segment_length(n_layers, k):
    return -(-n_layers // min(k, n_layers))


def model_forward_checkpointed(x, params, k=4):
    length = segment_length(len(params), k)
    saved = []
    for i, layer in enumerate(params):
        if i % length == 0:
            saved.append(x)
        x = layer_forward(x, *layer)
    return x, saved


def model_backward_checkpointed(grad_output, saved_inputs, params, k=4):
    length = segment_length(len(params), k)
    g = grad_output
    grads = []
    for start in reversed(range(0, len(params), length)):
        segment = params[start : start + length]
        acts = model_forward(saved_inputs[start // length], segment)[1]
        g, segment_grads = model_backward(g, acts, segment)
        grads = segment_grads + grads
    return g, grads
