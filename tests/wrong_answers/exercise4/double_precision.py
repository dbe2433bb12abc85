"""The copies are in double precision."""
# loses: exercise4.dtype
# says: float64


def forward_offloaded(x, params, k, host_buffer):
    handles = []
    for i, layer in enumerate(params):
        if i % k == 0:
            handles.append(len(host_buffer))
            host_buffer.append(np.array(x, dtype=float))
        x = layer_forward(x, *layer)
    return x, handles
