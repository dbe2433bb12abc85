"""The overhead is text, ready to be printed."""
# loses: step4.overhead
# says: string


def checkpoint_cost(n_layers, segment_size, flops_per_layer=1.0):
    fwd = n_layers * flops_per_layer
    total = 4 * fwd
    overhead = f"{total / (3 * fwd) - 1:.1%}"
    return {"fwd": fwd, "recompute": fwd, "bwd": 2 * fwd, "total": total, "overhead_vs_no_ckpt": overhead}
