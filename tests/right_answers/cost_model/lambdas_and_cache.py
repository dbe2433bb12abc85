"""Lambdas, a cache and functions made by a function."""

import functools


def counting(share_of):
    def cost(n_layers, *args, **kwargs):
        share, flops = share_of(*args, **kwargs)
        fwd = n_layers * flops
        return dict(fwd=fwd, recompute=share * fwd, bwd=2 * fwd, total=(3 + share) * fwd, overhead_vs_no_ckpt=share / 3)

    return cost


checkpoint_cost = counting(lambda segment_size, flops_per_layer=1.0: (1, flops_per_layer))
selective_checkpoint_cost = counting(
    lambda attention_fraction=0.15, flops_per_layer=1.0: (attention_fraction, flops_per_layer)
)
activation_memory_mb = lambda n_layers, hidden=8192, seq=8192, batch=1, bytes_per_value=2: (
    math.prod((n_layers, 12, batch, seq, hidden, bytes_per_value)) / 1e6
)
optimal_segment = functools.cache(lambda n_layers: max(1, int(n_layers**0.5 + 0.5)))
