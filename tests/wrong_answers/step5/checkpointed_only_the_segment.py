"""Only the segment that is being rebuilt is counted, not the saved inputs."""
# loses: step5.checkpointed step5.long_segment step5.defaults
# says: saved inputs


def memory_after_checkpoint(n_layers, segment_size, hidden=8192, seq=8192, batch=1, bytes_per_value=2):
    return segment_size * batch * seq * hidden * bytes_per_value / 1e6
