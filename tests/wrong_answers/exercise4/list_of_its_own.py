"""The copies go to a global list instead of the buffer."""
# loses: exercise4.buffer
# says: 0 entries

host = []


def forward_offloaded(x, params, k, host_buffer):
    host.clear()
    output, saved = model_forward_checkpointed(x, params, k)
    host.extend(array.copy() for array in saved[: -(-len(params) // k)])
    return output, list(range(len(host)))


def backward_offloaded(grad_output, handles, host_buffer, params, k):
    return model_backward_checkpointed(grad_output, host, params, k)
