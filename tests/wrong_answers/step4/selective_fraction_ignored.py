"""The attention's share is always 0.15, whatever is passed."""
# loses: step4.selective step4.selective_overhead


def checkpoint_cost(n_layers, segment_size, flops_per_layer=1.0):
    fwd = n_layers * flops_per_layer
    return {"fwd": fwd, "recompute": fwd, "bwd": 2 * fwd, "total": 4 * fwd, "overhead_vs_no_ckpt": 1 / 3}


def selective_checkpoint_cost(n_layers, attention_fraction=0.15, flops_per_layer=1.0):
    fwd = n_layers * flops_per_layer
    recompute = 0.15 * fwd
    bwd = 2 * fwd
    total = fwd + recompute + bwd
    return dict(fwd=fwd, recompute=recompute, bwd=bwd, total=total, overhead_vs_no_ckpt=total / (fwd + bwd) - 1)
