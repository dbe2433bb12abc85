"""Part 2. The loop in optimal_segment ends for square numbers only."""


def checkpoint_cost(n_layers, segment_size, flops_per_layer=1.0):
    fwd = n_layers * flops_per_layer
    bwd = 2 * fwd
    recompute = fwd
    total = fwd + bwd + recompute
    return {
        "fwd": fwd,
        "bwd": bwd,
        "recompute": recompute,
        "total": total,
        "overhead_vs_no_ckpt": 100 * recompute / (fwd + bwd),
    }


def selective_checkpoint_cost(n_layers, attention_fraction=0.15, flops_per_layer=1.0):
    fwd = n_layers * flops_per_layer
    bwd = 2 * fwd
    recompute = fwd * attention_fraction
    total = fwd + bwd + recompute
    return {
        "fwd": fwd,
        "bwd": bwd,
        "recompute": recompute,
        "total": total,
        "overhead_vs_no_ckpt": 100 * recompute / (fwd + bwd),
    }


def optimal_segment(n_layers):
    k = 1
    while k * k != n_layers:
        k += 1
    return k
