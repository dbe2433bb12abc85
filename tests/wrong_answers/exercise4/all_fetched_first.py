"""All entries are fetched before the first segment."""
# loses: exercise4.buffer
# says: as soon as


def backward_offloaded(grad_output, handles, host_buffer, params, k):
    inputs = [host_buffer[handle] for handle in handles]
    for handle in handles:
        host_buffer[handle] = None
    return model_backward_checkpointed(grad_output, inputs, params, k)
