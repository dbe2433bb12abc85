"""The copies are in half precision, to move fewer bytes."""
# loses: exercise4.gradients exercise4.buffer


def forward_offloaded(x, params, k, host_buffer):
    handles = []
    for i, layer in enumerate(params):
        if i % k == 0:
            handles.append(len(host_buffer))
            host_buffer.append(x.astype(np.float16))
        x = layer_forward(x, *layer)
    return x, handles


def backward_offloaded(grad_output, handles, host_buffer, params, k):
    grad, grads = grad_output, []
    for start in reversed(range(0, len(params), k)):
        segment = params[start : start + k]
        entry = host_buffer[handles[start // k]].astype(grad_output.dtype)
        host_buffer[handles[start // k]] = None
        grad, some = model_backward(grad, model_forward(entry, segment)[1], segment)
        grads = some + grads
    return grad, grads
