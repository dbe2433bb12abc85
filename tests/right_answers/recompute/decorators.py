"""Decorators check shapes and copy the arguments."""

import functools


def two_dimensional(function):
    @functools.wraps(function)
    def checked(x, *args, **kwargs):
        assert x.ndim == 2, "one row per example"
        return function(x, *args, **kwargs)

    return checked


def on_copies(function):
    @functools.wraps(function)
    def copied(x, *args):
        return function(x.copy(), *args)

    return copied


@two_dimensional
def linear_forward(x, w, b):
    return x @ w + b


@on_copies
def relu(x):
    x[x < 0] = 0
    return x


@two_dimensional
def model_forward_checkpointed(x, params, k=4):
    saved = []
    for start in range(0, len(params), k):
        saved.append(x)
        for layer in params[start : start + k]:
            x = layer_forward(x, *layer)
    return x, saved
