"""The output of the model is counted as one more layer."""
# loses: step5.store_all step5.defaults


def activation_memory_mb(n_layers, hidden=8192, seq=8192, batch=1, bytes_per_value=2):
    return (n_layers + 1) * 12 * batch * seq * hidden * bytes_per_value / 1e6
