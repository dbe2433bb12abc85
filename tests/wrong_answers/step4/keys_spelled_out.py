"""The keys of the dict are spelled out, except one."""
# loses: step4.full


def checkpoint_cost(n_layers, segment_size, flops_per_layer=1.0):
    fwd = n_layers * flops_per_layer
    return {
        "forward": fwd,
        "recomputation": fwd,
        "backward": 2 * fwd,
        "total": 4 * fwd,
        "overhead_vs_no_ckpt": 4 / 3 - 1,
    }
