"""The whole topic is right but for MiB where MB are due."""
# alone: yes
# loses: step5.store_all step5.checkpointed step5.long_segment step5.defaults
# says: mib

import math

MB = 1 << 20


def checkpoint_cost(n_layers, segment_size, flops_per_layer=1.0):
    return selective_checkpoint_cost(n_layers, 1, flops_per_layer)


def selective_checkpoint_cost(n_layers, attention_fraction=0.15, flops_per_layer=1.0):
    fwd = n_layers * flops_per_layer
    again = attention_fraction * fwd
    return {
        "fwd": fwd,
        "recompute": again,
        "bwd": 2 * fwd,
        "total": 3 * fwd + again,
        "overhead_vs_no_ckpt": again / (3 * fwd),
    }


def activation_memory_mb(n_layers, hidden=8192, seq=8192, batch=1, bytes_per_value=2):
    return n_layers * 12 * batch * seq * hidden * bytes_per_value / MB


def memory_after_checkpoint(n_layers, segment_size, hidden=8192, seq=8192, batch=1, bytes_per_value=2):
    segments = math.ceil(n_layers / segment_size)
    return (segments + segment_size) * batch * seq * hidden * bytes_per_value / MB


def optimal_segment(n_layers):
    return max(1, round(math.sqrt(n_layers)))
