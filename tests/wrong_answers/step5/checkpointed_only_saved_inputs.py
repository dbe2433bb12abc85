"""Only the saved inputs are counted, not the segment that is being rebuilt."""
# loses: step5.checkpointed step5.long_segment step5.defaults


def memory_after_checkpoint(n_layers, segment_size, hidden=8192, seq=8192, batch=1, bytes_per_value=2):
    segments = math.ceil(n_layers / segment_size)
    return segments * batch * seq * hidden * bytes_per_value / 1e6
