"""Everything is counted in layers; flops_per_layer is never used."""
# loses: step4.full
# says: flops_per_layer


def checkpoint_cost(n_layers, segment_size, flops_per_layer=1.0):
    fwd = n_layers
    total = 4 * fwd
    return dict(fwd=fwd, recompute=fwd, bwd=2 * fwd, total=total, overhead_vs_no_ckpt=total / (3 * fwd) - 1)
