"""The costs come back as a tuple."""
# loses: step4.full step4.overhead
# says: tuple


def checkpoint_cost(n_layers, segment_size, flops_per_layer=1.0):
    fwd = n_layers * flops_per_layer
    recompute = fwd
    bwd = 2 * fwd
    total = fwd + recompute + bwd
    return fwd, recompute, bwd, total, total / (fwd + bwd) - 1
