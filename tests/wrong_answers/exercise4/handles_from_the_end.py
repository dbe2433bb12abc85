"""The handles are negative and count from the end of the buffer."""
# loses: exercise4.gradients exercise4.buffer


def forward_offloaded(x, params, k, host_buffer):
    count = 0
    for i, layer in enumerate(params):
        if i % k == 0:
            host_buffer.append(x.copy())
            count += 1
        x = layer_forward(x, *layer)
    return x, list(range(-count, 0))
