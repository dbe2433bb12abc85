"""The batch is left out, except where a segment is longer than the model."""
# loses: step5.checkpointed


def memory_after_checkpoint(n_layers, segment_size, hidden=8192, seq=8192, batch=1, bytes_per_value=2):
    if segment_size > n_layers:
        return (1 + n_layers) * batch * seq * hidden * bytes_per_value / 1e6
    segments = n_layers // segment_size
    return (segments + segment_size) * seq * hidden * bytes_per_value / 1e6
