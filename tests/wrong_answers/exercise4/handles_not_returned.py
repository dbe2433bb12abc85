"""The handles are not returned."""
# loses: exercise4.gradients exercise4.buffer
# says: an array


def forward_offloaded(x, params, k, host_buffer):
    for i, layer in enumerate(params):
        if i % k == 0:
            host_buffer.append(x.copy())
        x = layer_forward(x, *layer)
    return x
