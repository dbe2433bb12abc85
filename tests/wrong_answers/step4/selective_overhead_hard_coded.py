"""The selective overhead is one third, copied from the function above."""
# loses: step4.selective_overhead


def selective_checkpoint_cost(n_layers, attention_fraction=0.15, flops_per_layer=1.0):
    fwd = n_layers * flops_per_layer
    recompute = attention_fraction * fwd
    bwd = 2 * fwd
    return {
        "fwd": fwd,
        "recompute": recompute,
        "bwd": bwd,
        "total": fwd + recompute + bwd,
        "overhead_vs_no_ckpt": 1 / 3,
    }
