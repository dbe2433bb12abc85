"""The forward empties the buffer before it begins."""
# loses: exercise4.buffer
# says: Append


def forward_offloaded(x, params, k, host_buffer):
    host_buffer.clear()
    handles = []
    for i, layer in enumerate(params):
        if i % k == 0:
            handles.append(len(host_buffer))
            host_buffer.append(x.copy())
        x = layer_forward(x, *layer)
    return x, handles
