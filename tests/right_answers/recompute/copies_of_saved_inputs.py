"""What is saved is copied first, to be safe."""


def model_forward_checkpointed(x, params, k=4):
    saved = []
    x = np.array(x)
    for i, layer in enumerate(params):
        if i % k == 0:
            saved.append(x.copy())
        x = layer_forward(x, *layer)
    return x, saved


def model_backward_checkpointed(grad_output, saved_inputs, params, k=4):
    g = np.array(grad_output, copy=True)
    grads = []
    for j, saved in reversed(list(enumerate(saved_inputs))):
        segment = params[j * k : (j + 1) * k]
        g, segment_grads = model_backward(g, model_forward(saved.copy(), segment)[1], segment)
        grads = list(segment_grads) + list(grads)
    return g, grads
