"""The gradients are listed from the last layer to the first."""
# loses: exercise4.gradients
# says: reverse order


def backward_offloaded(grad_output, handles, host_buffer, params, k):
    grad, grads = grad_output, []
    for start in reversed(range(0, len(params), k)):
        segment = params[start : start + k]
        entry = host_buffer[handles[start // k]]
        host_buffer[handles[start // k]] = None
        grad, some = model_backward(grad, model_forward(entry, segment)[1], segment)
        grads += some[::-1]
    return grad, grads
