"""The selective cost is counted in layers; flops_per_layer is never used."""
# loses: step4.selective
# says: flops_per_layer


def checkpoint_cost(n_layers, segment_size, flops_per_layer=1.0):
    fwd = n_layers * flops_per_layer
    return {"fwd": fwd, "recompute": fwd, "bwd": 2 * fwd, "total": 4 * fwd, "overhead_vs_no_ckpt": 1 / 3}


def selective_checkpoint_cost(n_layers, attention_fraction=0.15, flops_per_layer=1.0):
    recompute = attention_fraction * n_layers
    return {
        "fwd": n_layers,
        "recompute": recompute,
        "bwd": 2 * n_layers,
        "total": 3 * n_layers + recompute,
        "overhead_vs_no_ckpt": recompute / (3 * n_layers),
    }
