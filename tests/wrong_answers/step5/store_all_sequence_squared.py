"""The square of the sequence length takes the place of sequence times hidden."""
# loses: step5.store_all


def activation_memory_mb(n_layers, hidden=8192, seq=8192, batch=1, bytes_per_value=2):
    return n_layers * 12 * batch * seq**2 * bytes_per_value / 1e6
