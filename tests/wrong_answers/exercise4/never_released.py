"""The entries stay in the buffer."""
# loses: exercise4.buffer
# says: once it has been used


def backward_offloaded(grad_output, handles, host_buffer, params, k):
    grad, grads = grad_output, []
    for start in reversed(range(0, len(params), k)):
        segment = params[start : start + k]
        grad, some = model_backward(grad, model_forward(host_buffer[handles[start // k]], segment)[1], segment)
        grads = some + grads
    return grad, grads
