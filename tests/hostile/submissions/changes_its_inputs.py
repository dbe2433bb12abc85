"""Computes rightly and then overwrites every argument, hoping to change what is expected of later calls."""
# topic: recompute
# outcome: step1 -inputs failed, step2 -inputs failed, step3 -inputs failed

import sys

import numpy as np


def _spoil(value):
    if isinstance(value, np.ndarray):
        value.setflags(write=True)
        value[...] = 12345.0
    elif isinstance(value, list | tuple):
        for item in value:
            _spoil(item)


def _spoiling(function):
    def spoiling(*args):
        result = function(*[np.copy(a) if isinstance(a, np.ndarray) else a for a in args])
        result = _copied(result)
        if sys._getframe(1).f_code.co_name in ("_do", "mutated"):
            _spoil(list(args))
        return result

    return spoiling


def _copied(value):
    if isinstance(value, np.ndarray):
        return value.copy()
    return type(value)(_copied(item) for item in value)


_forward, _backward = model_forward_checkpointed, model_backward_checkpointed
linear_forward = _spoiling(linear_forward)
relu = _spoiling(relu)
layer_forward = _spoiling(layer_forward)
model_forward = _spoiling(model_forward)
model_backward = _spoiling(model_backward)


def model_backward_checkpointed(grad_output, saved_inputs, params, k=4):
    result = _backward(grad_output, saved_inputs, params, k)
    if sys._getframe(1).f_code.co_name in ("_do", "pair_mutated"):
        _spoil(list(params))
    return result
