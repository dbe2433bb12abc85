"""Recurses without end and swallows the error on every level."""
# topic: selective
# outcome: step7 none timeout or crashed or memory or error
# seconds: 0.5

import sys

sys.setrecursionlimit(50_000)


def _deeper(n):
    try:
        _deeper(n + 1)
    finally:
        _deeper(n + 1)


def should_recompute(layer_type, activation_bytes, recompute_flops_ratio):
    _deeper(0)
