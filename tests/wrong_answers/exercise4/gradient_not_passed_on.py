"""Every segment starts from the gradient of the output."""
# loses: exercise4.gradients


def backward_offloaded(grad_output, handles, host_buffer, params, k):
    grads = []
    for start in reversed(range(0, len(params), k)):
        segment = params[start : start + k]
        entry = host_buffer[handles[start // k]]
        host_buffer[handles[start // k]] = None
        grad, some = model_backward(grad_output, model_forward(entry, segment)[1], segment)
        grads = some + grads
    return grad, grads
