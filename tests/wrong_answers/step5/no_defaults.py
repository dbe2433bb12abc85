"""The checkpointed estimate has no default values."""
# loses: step5.defaults


def memory_after_checkpoint(n_layers, segment_size, hidden, seq, batch, bytes_per_value):
    segments = math.ceil(n_layers / segment_size)
    return (segments + segment_size) * batch * seq * hidden * bytes_per_value / 1e6
