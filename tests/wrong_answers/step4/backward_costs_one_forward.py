"""The backward is taken to cost as much as the forward."""
# loses: step4.full step4.overhead
# says: twice


def checkpoint_cost(n_layers, segment_size, flops_per_layer=1.0):
    fwd = n_layers * flops_per_layer
    recompute = fwd
    bwd = fwd
    total = fwd + recompute + bwd
    return dict(fwd=fwd, recompute=recompute, bwd=bwd, total=total, overhead_vs_no_ckpt=total / (fwd + bwd) - 1)
