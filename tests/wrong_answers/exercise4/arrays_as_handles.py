"""The handles are the arrays themselves, and the buffer is not needed."""
# loses: exercise4.buffer


def forward_offloaded(x, params, k, host_buffer):
    handles = []
    for i, layer in enumerate(params):
        if i % k == 0:
            handles.append(x.copy())
            host_buffer.append(handles[-1])
        x = layer_forward(x, *layer)
    return x, handles


def backward_offloaded(grad_output, handles, host_buffer, params, k):
    return model_backward_checkpointed(grad_output, handles, params, k)
