"""The root is rounded with whole numbers only."""

from math import isqrt


def optimal_segment(n_layers):
    root = isqrt(n_layers)
    return root + (n_layers > root * root + root)
