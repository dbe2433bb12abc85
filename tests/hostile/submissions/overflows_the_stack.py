"""Recurses in C until the stack is gone."""
# topic: selective
# outcome: step7 none crashed or memory

import functools
import sys

sys.setrecursionlimit(10**9)


class _Endless:
    def __getattr__(self, name):
        return getattr(self, name + "x")

    def __repr__(self):
        return functools.reduce(lambda a, b: repr(self), [1, 2])


def should_recompute(layer_type, activation_bytes, recompute_flops_ratio):
    return repr(_Endless())
