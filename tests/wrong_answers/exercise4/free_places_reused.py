"""Places that hold None are filled before anything is appended."""
# loses: exercise4.buffer


def forward_offloaded(x, params, k, host_buffer):
    handles = []
    for i, layer in enumerate(params):
        if i % k == 0:
            free = [place for place in range(len(host_buffer)) if host_buffer[place] is None]
            if free:
                host_buffer[free[0]] = x.copy()
                handles.append(free[0])
            else:
                handles.append(len(host_buffer))
                host_buffer.append(x.copy())
        x = layer_forward(x, *layer)
    return x, handles
