"""Elements are counted instead of bytes."""
# loses: step5.store_all step5.defaults
# says: bytes_per_value


def activation_memory_mb(n_layers, hidden=8192, seq=8192, batch=1, bytes_per_value=2):
    return n_layers * 12 * batch * seq * hidden / 1e6
