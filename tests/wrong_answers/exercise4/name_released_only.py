"""Only the local name of an entry is set to None."""
# loses: exercise4.buffer


def backward_offloaded(grad_output, handles, host_buffer, params, k):
    grad, grads = grad_output, []
    for start in reversed(range(0, len(params), k)):
        segment = params[start : start + k]
        entry = host_buffer[handles[start // k]]
        grad, some = model_backward(grad, model_forward(entry, segment)[1], segment)
        entry = None
        grads = some + grads
    return grad, grads
