"""Both directions are recursions over the segments."""


def forward_offloaded(x, params, k, host_buffer):
    if not params:
        return x, []
    handle = len(host_buffer)
    host_buffer.append(x + 0)
    output, handles = forward_offloaded(model_forward(x, params[:k])[0], params[k:], k, host_buffer)
    return output, [handle, *handles]


def backward_offloaded(grad_output, handles, host_buffer, params, k):
    if not handles:
        return grad_output, []
    (handle, *others), head, tail = handles, params[:k], params[k:]
    grad, grads = backward_offloaded(grad_output, others, host_buffer, tail, k)
    try:
        grad, first = model_backward(grad, model_forward(host_buffer[handle], head)[1], head)
    finally:
        host_buffer[handle] = None
    return grad, first + grads
