"""Every layer writes its output into x."""
# loses: exercise4.inputs
# says: x changed


def forward_offloaded(x, params, k, host_buffer):
    handles = []
    for i, layer in enumerate(params):
        if i % k == 0:
            handles.append(len(host_buffer))
            host_buffer.append(x.copy())
        x[...] = layer_forward(x, *layer)
    return x, handles
