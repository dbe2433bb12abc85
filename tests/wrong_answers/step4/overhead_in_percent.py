"""The overhead is given in percent."""
# loses: step4.overhead
# says: percent


def checkpoint_cost(n_layers, segment_size, flops_per_layer=1.0):
    fwd = n_layers * flops_per_layer
    recompute = fwd
    bwd = 2 * fwd
    total = fwd + recompute + bwd
    return {
        "fwd": fwd,
        "recompute": recompute,
        "bwd": bwd,
        "total": total,
        "overhead_vs_no_ckpt": 100 * (total / (fwd + bwd) - 1),
    }
