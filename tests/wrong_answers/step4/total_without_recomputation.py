"""The total leaves out the recomputation."""
# loses: step4.full


def checkpoint_cost(n_layers, segment_size, flops_per_layer=1.0):
    fwd = n_layers * flops_per_layer
    recompute = fwd
    bwd = 2 * fwd
    return dict(fwd=fwd, recompute=recompute, bwd=bwd, total=fwd + bwd, overhead_vs_no_ckpt=recompute / (fwd + bwd))
