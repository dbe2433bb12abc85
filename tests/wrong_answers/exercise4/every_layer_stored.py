"""Every layer's input goes to the host."""
# loses: exercise4.buffer
# says: k is ignored


def forward_offloaded(x, params, k, host_buffer):
    handles = []
    for i, layer in enumerate(params):
        if i % k == 0:
            handles.append(len(host_buffer))
        host_buffer.append(x.copy())
        x = layer_forward(x, *layer)
    return x, handles
