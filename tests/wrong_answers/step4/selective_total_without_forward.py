"""The selective total leaves out the forward."""
# loses: step4.selective


def checkpoint_cost(n_layers, segment_size, flops_per_layer=1.0):
    fwd = n_layers * flops_per_layer
    return {"fwd": fwd, "recompute": fwd, "bwd": 2 * fwd, "total": 4 * fwd, "overhead_vs_no_ckpt": 1 / 3}


def selective_checkpoint_cost(n_layers, attention_fraction=0.15, flops_per_layer=1.0):
    fwd = n_layers * flops_per_layer
    recompute = attention_fraction * fwd
    bwd = 2 * fwd
    return {
        "fwd": fwd,
        "recompute": recompute,
        "bwd": bwd,
        "total": recompute + bwd,
        "overhead_vs_no_ckpt": recompute / (fwd + bwd),
    }
