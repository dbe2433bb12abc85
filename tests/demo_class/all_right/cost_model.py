"""Homework, part 2."""

import math


def _costs(forward, extra):
    plain = 3 * forward
    return {
        "fwd": forward,
        "recompute": extra,
        "bwd": 2 * forward,
        "total": plain + extra,
        "overhead_vs_no_ckpt": extra / plain,
    }


def checkpoint_cost(n_layers, segment_size, flops_per_layer=1.0):
    forward = n_layers * flops_per_layer
    return _costs(forward, forward)


def selective_checkpoint_cost(n_layers, attention_fraction=0.15, flops_per_layer=1.0):
    forward = n_layers * flops_per_layer
    return _costs(forward, attention_fraction * forward)


def activation_memory_mb(n_layers, hidden=8192, seq=8192, batch=1, bytes_per_value=2):
    return 12 * n_layers * batch * seq * hidden * bytes_per_value / 1e6


def memory_after_checkpoint(n_layers, segment_size, hidden=8192, seq=8192, batch=1, bytes_per_value=2):
    tensors = math.ceil(n_layers / segment_size) + segment_size
    return tensors * batch * seq * hidden * bytes_per_value / 1e6


def optimal_segment(n_layers):
    return max(1, round(n_layers**0.5))
