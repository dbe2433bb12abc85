"""The overhead is the ratio of the two steps, without subtracting 1."""
# loses: step4.overhead
# says: subtract 1


def checkpoint_cost(n_layers, segment_size, flops_per_layer=1.0):
    fwd = n_layers * flops_per_layer
    recompute = fwd
    bwd = 2 * fwd
    total = fwd + recompute + bwd
    return dict(fwd=fwd, recompute=recompute, bwd=bwd, total=total, overhead_vs_no_ckpt=total / (fwd + bwd))
