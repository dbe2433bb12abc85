"""The whole topic in the style of the published lesson, without the reference."""
# alone: yes

import math


def checkpoint_cost(n_layers, segment_size, flops_per_layer=1.0):
    fwd = n_layers * flops_per_layer
    recompute = n_layers * flops_per_layer
    bwd = 2 * n_layers * flops_per_layer
    total = fwd + recompute + bwd
    return {
        "fwd": fwd,
        "recompute": recompute,
        "bwd": bwd,
        "total": total,
        "overhead_vs_no_ckpt": total / (fwd + bwd) - 1,
    }


def selective_checkpoint_cost(n_layers, attention_fraction=0.15, flops_per_layer=1.0):
    fwd = n_layers * flops_per_layer
    recompute = n_layers * attention_fraction * flops_per_layer
    bwd = 2 * n_layers * flops_per_layer
    total = fwd + recompute + bwd
    return {
        "fwd": fwd,
        "recompute": recompute,
        "bwd": bwd,
        "total": total,
        "overhead_vs_no_ckpt": total / (fwd + bwd) - 1,
    }


def activation_memory_mb(n_layers, hidden=8192, seq=8192, batch=1, bytes_per_value=2):
    per_layer = 12 * batch * seq * hidden * bytes_per_value
    return n_layers * per_layer / 1e6


def memory_after_checkpoint(n_layers, segment_size, hidden=8192, seq=8192, batch=1, bytes_per_value=2):
    n_segments = max(1, n_layers // segment_size)
    per_layer = batch * seq * hidden * bytes_per_value
    return (n_segments + segment_size) * per_layer / 1e6


def optimal_segment(n_layers):
    return max(1, int(round(math.sqrt(n_layers))))
