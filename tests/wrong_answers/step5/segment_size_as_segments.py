"""segment_size is taken for the number of segments: all is well until it exceeds the layers."""
# loses: step5.long_segment


def memory_after_checkpoint(n_layers, segment_size, hidden=8192, seq=8192, batch=1, bytes_per_value=2):
    segments = segment_size
    longest = n_layers / segments
    return (segments + longest) * batch * seq * hidden * bytes_per_value / 1e6
