"""The overhead is a number of FLOPs instead of a fraction."""
# loses: step4.overhead
# says: extra work


def checkpoint_cost(n_layers, segment_size, flops_per_layer=1.0):
    fwd = n_layers * flops_per_layer
    total = 4 * fwd
    return {"fwd": fwd, "recompute": fwd, "bwd": 2 * fwd, "total": total, "overhead_vs_no_ckpt": total - 3 * fwd}
