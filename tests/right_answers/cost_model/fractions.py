"""Exact fractions that become floats at the end."""

from fractions import Fraction


def checkpoint_cost(n_layers, segment_size, flops_per_layer=1.0):
    return costs(n_layers, Fraction(1), flops_per_layer)


def selective_checkpoint_cost(n_layers, attention_fraction=0.15, flops_per_layer=1.0):
    return costs(n_layers, Fraction(attention_fraction), flops_per_layer)


def costs(n_layers, share, flops):
    fwd = n_layers * Fraction(flops)
    parts = {"fwd": fwd, "recompute": share * fwd, "bwd": 2 * fwd}
    parts["total"] = sum(parts.values())
    parts["overhead_vs_no_ckpt"] = parts["recompute"] / (parts["fwd"] + parts["bwd"])
    return {name: float(value) for name, value in parts.items()}


def activation_memory_mb(n_layers, hidden=8192, seq=8192, batch=1, bytes_per_value=2):
    return float(Fraction(n_layers * 12 * batch * seq * hidden * bytes_per_value, 10**6))
