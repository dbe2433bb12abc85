"""The entries are inserted at the front of the buffer."""
# loses: exercise4.buffer


def forward_offloaded(x, params, k, host_buffer):
    entries = []
    for i, layer in enumerate(params):
        if i % k == 0:
            entries.append(x.copy())
        x = layer_forward(x, *layer)
    host_buffer[:0] = entries
    return x, list(range(len(entries)))
