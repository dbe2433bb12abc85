"""The recomputation is counted as part of the backward and added once more."""
# loses: step4.full step4.overhead


def checkpoint_cost(n_layers, segment_size, flops_per_layer=1.0):
    fwd = n_layers * flops_per_layer
    recompute = fwd
    bwd = 2 * fwd + recompute
    total = fwd + recompute + bwd
    return dict(fwd=fwd, recompute=recompute, bwd=bwd, total=total, overhead_vs_no_ckpt=total / (3 * fwd) - 1)
