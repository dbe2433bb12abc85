"""The twelve tensors of a layer are forgotten."""
# loses: step5.store_all step5.defaults
# says: 12 tensors


def activation_memory_mb(n_layers, hidden=8192, seq=8192, batch=1, bytes_per_value=2):
    return n_layers * batch * seq * hidden * bytes_per_value / 1e6
