"""The code still prints what it does."""


def relu(x):
    print("relu of an array of shape", x.shape)
    return np.maximum(x, 0)


def model_backward_checkpointed(grad_output, saved_inputs, params, k=4):
    g = grad_output
    grads = []
    for start in reversed(range(0, len(params), k)):
        segment = params[start : start + k]
        print(f"segment from layer {start}: {len(segment)} layers")
        g, segment_grads = model_backward(g, model_forward(saved_inputs[start // k], segment)[1], segment)
        grads = segment_grads + grads
    return g, grads
