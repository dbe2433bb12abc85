"""The batch is left out of the memory of a plain model."""
# loses: step5.store_all
# says: batch


def activation_memory_mb(n_layers, hidden=8192, seq=8192, batch=1, bytes_per_value=2):
    return n_layers * 12 * seq * hidden * bytes_per_value / 1e6
