"""The default sequence of the checkpointed estimate is 4096 tokens instead of 8192."""
# loses: step5.defaults
# says: defaults


def memory_after_checkpoint(n_layers, segment_size, hidden=8192, seq=4096, batch=1, bytes_per_value=2):
    segments = math.ceil(n_layers / segment_size)
    return (segments + segment_size) * batch * seq * hidden * bytes_per_value / 1e6
