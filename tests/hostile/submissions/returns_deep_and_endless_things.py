"""Returns nests that are very deep, contain themselves, or double with every level."""
# topic: cost_model
# outcome: step4 none failed or error, step5 none failed or error or crashed, step6 none failed or error

import itertools


def checkpoint_cost(*args, **kwargs):
    value = {}
    for _ in range(100_000):
        value = {"fwd": value}
    return value


def selective_checkpoint_cost(*args, **kwargs):
    value = {}
    value["fwd"] = value["bwd"] = value["total"] = value["recompute"] = value["overhead_vs_no_ckpt"] = value
    return value


def activation_memory_mb(*args, **kwargs):
    value = [0.0]
    for _ in range(100):
        value = [value] * 10
    return value


def memory_after_checkpoint(*args, **kwargs):
    value = []
    value.append(value)
    value.append(([None] * 1_000_000, value))
    return value


def optimal_segment(*args, **kwargs):
    return itertools.count()
