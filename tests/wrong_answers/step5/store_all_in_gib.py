"""The memory of a plain model is given in GiB."""
# loses: step5.store_all step5.defaults
# says: gib


def activation_memory_mb(n_layers, hidden=8192, seq=8192, batch=1, bytes_per_value=2):
    return n_layers * 12 * batch * seq * hidden * bytes_per_value / 1024**3
