"""Matches a regular expression that takes exponential time and holds the interpreter's lock."""
# topic: selective
# outcome: step7 none timeout
# seconds: 0.5

import re


def should_recompute(layer_type, activation_bytes, recompute_flops_ratio):
    return bool(re.match(r"(a|aa|a*)+$", "a" * 60 + "b"))
