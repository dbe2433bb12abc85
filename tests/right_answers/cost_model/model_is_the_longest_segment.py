"""A segment is never longer than the model."""


def memory_after_checkpoint(n_layers, segment_size, hidden=8192, seq=8192, batch=1, bytes_per_value=2):
    size = min(segment_size, n_layers)
    segments, rest = divmod(n_layers, size)
    segments += bool(rest)
    return (segments + size) * (batch * seq * hidden * bytes_per_value) / 10**6
