"""Limits as data: bytes and ratio must both lie inside."""

from math import inf

LIMITS = {"attention": (100e6, inf), "ffn": (500e6, 0.1)}


def should_recompute(layer_type, activation_bytes, recompute_flops_ratio):
    smallest, dearest = LIMITS.get(layer_type, (inf, -inf))
    return smallest < activation_bytes and recompute_flops_ratio < dearest
