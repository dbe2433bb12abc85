"""The handles count from 0, whatever is in the buffer."""
# loses: exercise4.gradients exercise4.buffer
# says: raised


def forward_offloaded(x, params, k, host_buffer):
    handles = []
    for i, layer in enumerate(params):
        if i % k == 0:
            handles.append(i // k)
            host_buffer.append(x.copy())
        x = layer_forward(x, *layer)
    return x, handles
