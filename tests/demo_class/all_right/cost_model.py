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


# Exercise 2


def segment_memory(n_layers, segment_size, layer_units=17):
    return math.ceil(n_layers / segment_size) - 1 + min(segment_size, n_layers) * layer_units


def segment_overhead(n_layers, segment_size):
    in_last_segment = n_layers % segment_size or segment_size
    return max(0, n_layers - in_last_segment) / (3 * n_layers)


def sweep_segments(n_layers, layer_units=17):
    return [(k, segment_memory(n_layers, k, layer_units), segment_overhead(n_layers, k)) for k in range(1, n_layers + 1)]


def pareto_front(points):
    front = []
    for point in sorted(points, key=lambda p: p[1:]):
        if all(point[2] < better[2] for better in front):
            front.append(point)
    return front


def best_segment(n_layers, layer_units=17):
    points = sweep_segments(n_layers, layer_units)
    least = min(memory for _, memory, _ in points)
    return max(k for k, memory, _ in points if memory == least)
