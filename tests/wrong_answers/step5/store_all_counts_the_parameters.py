"""The twelve is taken for the parameters of a layer, 12 times the square of the hidden size."""
# loses: step5.store_all


def activation_memory_mb(n_layers, hidden=8192, seq=8192, batch=1, bytes_per_value=2):
    return n_layers * 12 * hidden * hidden * batch * bytes_per_value / 1e6
