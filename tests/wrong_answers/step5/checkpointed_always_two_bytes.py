"""Every value has two bytes, except where a segment is longer than the model."""
# loses: step5.checkpointed
# says: bytes_per_value


def memory_after_checkpoint(n_layers, segment_size, hidden=8192, seq=8192, batch=1, bytes_per_value=2):
    tensors, size = n_layers // segment_size + segment_size, 2
    if segment_size > n_layers:
        tensors, size = 1 + segment_size, bytes_per_value
    return tensors * batch * seq * hidden * size / 1e6
