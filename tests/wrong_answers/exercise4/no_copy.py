"""x itself is put into the buffer."""
# loses: exercise4.gradients exercise4.buffer
# says: x.copy()


def forward_offloaded(x, params, k, host_buffer):
    handles = []
    for i, layer in enumerate(params):
        if i % k == 0:
            handles.append(len(host_buffer))
            host_buffer.append(x)
        x = layer_forward(x, *layer)
    return x, handles
