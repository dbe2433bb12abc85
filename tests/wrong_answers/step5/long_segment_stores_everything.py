"""A segment longer than the model is taken for a model without checkpointing."""
# loses: step5.long_segment


def memory_after_checkpoint(n_layers, segment_size, hidden=8192, seq=8192, batch=1, bytes_per_value=2):
    if segment_size > n_layers:
        return activation_memory_mb(n_layers, hidden, seq, batch, bytes_per_value)
    segments = math.ceil(n_layers / segment_size)
    return (segments + segment_size) * batch * seq * hidden * bytes_per_value / 1e6
