"""All seven steps in one file. linear_forward forgets its bias, and all that is built on it is off."""

import math

import numpy as np


# --- Step 1 ---


def linear_forward(x, w, b):
    return x @ w


def relu(x):
    return np.maximum(x, 0)


def layer_forward(x, w1, b1, w2, b2):
    hidden = relu(linear_forward(x, w1, b1))
    return linear_forward(hidden, w2, b2)


def model_forward(x, params):
    acts = [x]
    for w1, b1, w2, b2 in params:
        x = layer_forward(x, w1, b1, w2, b2)
        acts.append(x)
    return x, acts


# --- Step 2 ---


def model_backward(grad_output, activations, params):
    grads = []
    g = grad_output
    for i in range(len(params) - 1, -1, -1):
        w1, b1, w2, b2 = params[i]
        z = linear_forward(activations[i], w1, b1)
        h = relu(z)
        gz = (g @ w2.T) * (z > 0)
        grads.append((activations[i].T @ gz, gz.sum(axis=0), h.T @ g, g.sum(axis=0)))
        g = gz @ w1.T
    return g, grads[::-1]


# --- Step 3 ---


def model_forward_checkpointed(x, params, k=4):
    saved = []
    for i, layer in enumerate(params):
        if i % k == 0:
            saved.append(x)
        x = layer_forward(x, *layer)
    return x, saved


def model_backward_checkpointed(grad_output, saved_inputs, params, k=4):
    grads = [None] * len(params)
    g = grad_output
    for start in reversed(range(0, len(params), k)):
        segment = params[start : start + k]
        output, acts = model_forward(saved_inputs[start // k], segment)
        g, grads[start : start + k] = model_backward(g, acts, segment)
        del output, acts
    return g, grads


# --- Step 4 ---


def checkpoint_cost(n_layers, segment_size, flops_per_layer=1.0):
    fwd = n_layers * flops_per_layer
    total = 4 * fwd
    return dict(fwd=fwd, recompute=fwd, bwd=2 * fwd, total=total, overhead_vs_no_ckpt=total / (3 * fwd) - 1)


def selective_checkpoint_cost(n_layers, attention_fraction=0.15, flops_per_layer=1.0):
    fwd = n_layers * flops_per_layer
    again = attention_fraction * fwd
    total = 3 * fwd + again
    return dict(fwd=fwd, recompute=again, bwd=2 * fwd, total=total, overhead_vs_no_ckpt=total / (3 * fwd) - 1)


# --- Step 5 ---


def activation_memory_mb(n_layers, hidden=8192, seq=8192, batch=1, bytes_per_value=2):
    return n_layers * 12 * batch * seq * hidden * bytes_per_value / 10**6


def memory_after_checkpoint(n_layers, segment_size, hidden=8192, seq=8192, batch=1, bytes_per_value=2):
    segments = -(-n_layers // segment_size)
    return (segments + segment_size) * batch * seq * hidden * bytes_per_value / 10**6


# --- Step 6 ---


def optimal_segment(n_layers):
    return max(1, round(math.sqrt(n_layers)))


# --- Step 7 ---


def should_recompute(layer_type, activation_bytes, recompute_flops_ratio):
    if layer_type == "attention" and activation_bytes > 100 * 10**6:
        return True
    if layer_type == "ffn" and activation_bytes > 500 * 10**6:
        return recompute_flops_ratio < 0.1
    return False
