"""Only the gradients of the last segment come back."""
# loses: exercise4.gradients
# says: last segment only


def backward_offloaded(grad_output, handles, host_buffer, params, k):
    grad = grad_output
    for start in reversed(range(0, len(params), k)):
        segment = params[start : start + k]
        entry = host_buffer[handles[start // k]]
        host_buffer[handles[start // k]] = None
        grad, some = model_backward(grad, model_forward(entry, segment)[1], segment)
        grads = some if start + k >= len(params) else grads
    return grad, grads
