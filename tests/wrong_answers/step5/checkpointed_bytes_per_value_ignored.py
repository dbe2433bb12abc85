"""The checkpointed estimate takes every value to have two bytes."""
# loses: step5.checkpointed step5.long_segment
# says: bytes_per_value


def memory_after_checkpoint(n_layers, segment_size, hidden=8192, seq=8192, batch=1, bytes_per_value=2):
    segments = math.ceil(n_layers / segment_size)
    return (segments + segment_size) * batch * seq * hidden * 2 / 1e6
