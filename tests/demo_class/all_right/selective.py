"""Homework, part 3."""

import math

import numpy as np


def should_recompute(layer_type, activation_bytes, recompute_flops_ratio):
    if layer_type == "attention":
        return activation_bytes > 100e6
    return layer_type == "ffn" and activation_bytes > 500e6 and recompute_flops_ratio < 0.1


# Exercise 3


def heads(x, n):
    return x.reshape(*x.shape[:2], n, -1).swapaxes(1, 2)


def joined(x):
    return x.swapaxes(1, 2).reshape(x.shape[0], x.shape[2], -1)


def attention(x, weights, n_heads):
    wq, wk, wv, wo = weights
    q, k, v = heads(x @ wq, n_heads), heads(x @ wk, n_heads), heads(x @ wv, n_heads)
    scores = np.einsum("bnid,bnjd->bnij", q, k) / math.sqrt(q.shape[-1])
    p = np.exp(scores - scores.max(axis=-1, keepdims=True))
    p = p / p.sum(axis=-1, keepdims=True)
    context = joined(p @ v)
    return q, k, v, p, context, context @ wo


def attention_forward_selective(x, weights, n_heads):
    return attention(x, weights, n_heads)[-1], [x]


def attention_backward_selective(grad_output, saved, weights, n_heads):
    (x,) = saved
    wq, wk, wv, wo = weights
    q, k, v, p, context, _ = attention(x, weights, n_heads)
    g = heads(grad_output @ wo.T, n_heads)
    gp = np.einsum("bnid,bnjd->bnij", g, v)
    gs = p * (gp - (gp * p).sum(axis=-1, keepdims=True)) / math.sqrt(q.shape[-1])
    gq, gk, gv = joined(gs @ k), joined(gs.swapaxes(2, 3) @ q), joined(p.swapaxes(2, 3) @ g)
    gx = gq @ wq.T + gk @ wk.T + gv @ wv.T
    return gx, tuple(np.einsum("bsi,bsj->ij", a, b) for a, b in ((x, gq), (x, gk), (x, gv), (context, grad_output)))


def recompute_overhead(hidden, seq, scope):
    core = 4 * seq * seq * hidden
    again = core + {"core": 0, "module": 8, "layer": 24}[scope] * seq * hidden**2
    return again / (3 * (core + 24 * seq * hidden**2))
