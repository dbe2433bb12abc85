"""The gradient is passed from segment to segment inside grad_output."""
# loses: exercise4.inputs
# says: grad_output changed


def backward_offloaded(grad_output, handles, host_buffer, params, k):
    grads = []
    for start in reversed(range(0, len(params), k)):
        segment = params[start : start + k]
        entry = host_buffer[handles[start // k]]
        host_buffer[handles[start // k]] = None
        grad_output[...], some = model_backward(grad_output, model_forward(entry, segment)[1], segment)
        grads = some + grads
    return grad_output, grads
