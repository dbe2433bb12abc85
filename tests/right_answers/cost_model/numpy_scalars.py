"""Everything is a NumPy scalar."""

import numpy as np


def checkpoint_cost(n_layers, segment_size, flops_per_layer=1.0):
    fwd = np.float64(n_layers) * flops_per_layer
    phases = np.array([1, 1, 2]) * fwd
    return dict(
        zip(("fwd", "recompute", "bwd"), phases),
        total=phases.sum(),
        overhead_vs_no_ckpt=phases[1] / phases[[0, 2]].sum(),
    )


def activation_memory_mb(n_layers, hidden=8192, seq=8192, batch=1, bytes_per_value=2):
    return np.prod([n_layers, 12, batch, seq, hidden, bytes_per_value], dtype=np.float64) / 1e6


def memory_after_checkpoint(n_layers, segment_size, hidden=8192, seq=8192, batch=1, bytes_per_value=2):
    return np.float64(np.ceil(n_layers / segment_size) + segment_size) * (batch * seq * hidden * bytes_per_value / 1e6)


def optimal_segment(n_layers):
    return np.rint(np.sqrt(n_layers)).astype(np.int64)
