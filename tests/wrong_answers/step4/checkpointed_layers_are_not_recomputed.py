"""One layer of every segment is taken to need no recomputation."""
# loses: step4.full step4.overhead


def checkpoint_cost(n_layers, segment_size, flops_per_layer=1.0):
    fwd = n_layers * flops_per_layer
    recompute = fwd * (1 - 1 / segment_size)
    bwd = 2 * fwd
    total = fwd + recompute + bwd
    return dict(fwd=fwd, recompute=recompute, bwd=bwd, total=total, overhead_vs_no_ckpt=total / (fwd + bwd) - 1)
