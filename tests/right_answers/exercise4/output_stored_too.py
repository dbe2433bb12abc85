"""The output goes to the host as well, and stays there."""


def forward_offloaded(x, params, k, host_buffer):
    handles = []
    for i, layer in enumerate(params):
        if i % k == 0:
            handles.append(np.int64(len(host_buffer)))
            host_buffer.append(np.copy(x))
        x = layer_forward(x, *layer)
    host_buffer.append(np.copy(x))
    return x, tuple(handles)
