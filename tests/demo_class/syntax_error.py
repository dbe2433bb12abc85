"""Handed in two minutes before the deadline."""

import numpy as np


def linear_forward(x, w, b):
    return x @ w + b


def relu(x):
    return np.maximum(x, 0


def layer_forward(x, w1, b1, w2, b2):
    return linear_forward(relu(linear_forward(x, w1, b1)), w2, b2)
