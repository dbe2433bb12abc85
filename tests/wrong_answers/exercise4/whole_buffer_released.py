"""At the end the whole buffer is emptied."""
# loses: exercise4.buffer
# says: no others


def backward_offloaded(grad_output, handles, host_buffer, params, k):
    grad, grads = grad_output, []
    for start in reversed(range(0, len(params), k)):
        segment = params[start : start + k]
        grad, some = model_backward(grad, model_forward(host_buffer[handles[start // k]], segment)[1], segment)
        host_buffer[handles[start // k]] = None
        grads = some + grads
    host_buffer[:] = [None] * len(host_buffer)
    return grad, grads
