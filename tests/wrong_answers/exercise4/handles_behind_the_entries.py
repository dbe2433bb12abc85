"""The handle is taken after appending."""
# loses: exercise4.gradients exercise4.buffer


def forward_offloaded(x, params, k, host_buffer):
    handles = []
    for i, layer in enumerate(params):
        if i % k == 0:
            host_buffer.append(x.copy())
            handles.append(len(host_buffer))
        x = layer_forward(x, *layer)
    return x, handles
