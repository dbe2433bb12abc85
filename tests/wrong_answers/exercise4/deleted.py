"""An entry is deleted, which shifts those behind it."""
# loses: exercise4.buffer
# says: shift


def backward_offloaded(grad_output, handles, host_buffer, params, k):
    grad, grads = grad_output, []
    for start in reversed(range(0, len(params), k)):
        segment = params[start : start + k]
        grad, some = model_backward(grad, model_forward(host_buffer[handles[start // k]], segment)[1], segment)
        del host_buffer[handles[start // k]]
        grads = some + grads
    return grad, grads
