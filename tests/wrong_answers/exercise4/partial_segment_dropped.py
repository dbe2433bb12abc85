"""The last layers are not run when k does not divide L."""
# loses: exercise4.gradients exercise4.buffer


def forward_offloaded(x, params, k, host_buffer):
    handles = []
    for j in range(max(1, len(params) // k)):
        handles.append(len(host_buffer))
        host_buffer.append(x.copy())
        for layer in params[j * k : (j + 1) * k]:
            x = layer_forward(x, *layer)
    return x, handles
