"""The handles begin with the last segment, in the order of use."""
# loses: exercise4.buffer
# says: reverse order


def forward_offloaded(x, params, k, host_buffer):
    handles = []
    for i, layer in enumerate(params):
        if i % k == 0:
            handles.insert(0, len(host_buffer))
            host_buffer.append(x.copy())
        x = layer_forward(x, *layer)
    return x, handles


def backward_offloaded(grad_output, handles, host_buffer, params, k):
    grad, grads = grad_output, []
    for handle, start in zip(handles, reversed(range(0, len(params), k))):
        segment = params[start : start + k]
        grad, some = model_backward(grad, model_forward(host_buffer[handle], segment)[1], segment)
        host_buffer[handle] = None
        grads = some + grads
    return grad, grads
