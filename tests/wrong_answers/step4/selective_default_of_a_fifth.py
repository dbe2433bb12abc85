"""The default of the attention's share is 0.2 instead of 0.15."""
# loses: step4.selective step4.selective_overhead


def selective_checkpoint_cost(n_layers, attention_fraction=0.2, flops_per_layer=1.0):
    fwd = n_layers * flops_per_layer
    recompute = attention_fraction * fwd
    bwd = 2 * fwd
    total = fwd + recompute + bwd
    return dict(fwd=fwd, recompute=recompute, bwd=bwd, total=total, overhead_vs_no_ckpt=total / (fwd + bwd) - 1)
