"""The default of bytes_per_value is 4 instead of 2."""
# loses: step5.defaults
# says: defaults


def activation_memory_mb(n_layers, hidden=8192, seq=8192, batch=1, bytes_per_value=4):
    return n_layers * 12 * batch * seq * hidden * bytes_per_value / 1e6
