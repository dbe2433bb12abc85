"""The next entry is fetched while the last one is still there."""
# loses: exercise4.buffer
# says: as soon as


def backward_offloaded(grad_output, handles, host_buffer, params, k):
    grad, grads = grad_output, []
    starts = list(range(0, len(params), k))
    entry = host_buffer[handles[-1]]
    for start in reversed(starts):
        following = host_buffer[handles[start // k - 1]] if start else None
        segment = params[start : start + k]
        grad, some = model_backward(grad, model_forward(entry, segment)[1], segment)
        host_buffer[handles[start // k]] = None
        entry, grads = following, some + grads
    return grad, grads
