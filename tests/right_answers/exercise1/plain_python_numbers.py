"""Every pair of values is compared in plain Python."""

import math


def max_gradient_difference(grads_a, grads_b):
    worst = 0.0
    for layer_a, layer_b in zip(grads_a, grads_b, strict=True):
        for a, b in zip(layer_a, layer_b, strict=True):
            if a.shape != b.shape:
                raise ValueError("two arrays of different shape")
            for u, v in zip(a.ravel().tolist(), b.ravel().tolist()):
                if math.isnan(u) or math.isnan(v):
                    return math.nan
                worst = worst if worst > abs(u - v) else abs(u - v)
    return worst
