"""The overhead is that of the forward, which doubles, instead of that of the step."""
# loses: step4.overhead
# says: forward


def checkpoint_cost(n_layers, segment_size, flops_per_layer=1.0):
    fwd = n_layers * flops_per_layer
    recompute = fwd
    bwd = 2 * fwd
    return {
        "fwd": fwd,
        "recompute": recompute,
        "bwd": bwd,
        "total": fwd + recompute + bwd,
        "overhead_vs_no_ckpt": (fwd + recompute) / fwd - 1,
    }
