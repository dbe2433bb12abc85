"""A segment longer than the model is refused."""
# loses: step5.long_segment


def memory_after_checkpoint(n_layers, segment_size, hidden=8192, seq=8192, batch=1, bytes_per_value=2):
    if segment_size > n_layers:
        raise ValueError("segment_size exceeds n_layers")
    return (n_layers // segment_size + segment_size) * batch * seq * hidden * bytes_per_value / 1e6
