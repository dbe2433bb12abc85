"""L // k is zero when the segment is longer than the model."""
# loses: step5.long_segment
# says: still one segment


def memory_after_checkpoint(n_layers, segment_size, hidden=8192, seq=8192, batch=1, bytes_per_value=2):
    segments = n_layers // segment_size
    return (segments + segment_size) * batch * seq * hidden * bytes_per_value / 1e6
