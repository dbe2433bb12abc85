"""The checkpointed estimate is given in MiB of 2^20 bytes."""
# loses: step5.checkpointed step5.long_segment step5.defaults
# says: mib


def memory_after_checkpoint(n_layers, segment_size, hidden=8192, seq=8192, batch=1, bytes_per_value=2):
    segments = math.ceil(n_layers / segment_size)
    return (segments + segment_size) * batch * seq * hidden * bytes_per_value / 1024 / 1024
