"""The dict is built and not returned."""
# loses: step4.full step4.overhead
# says: return


def checkpoint_cost(n_layers, segment_size, flops_per_layer=1.0):
    fwd = n_layers * flops_per_layer
    costs = {"fwd": fwd, "recompute": fwd, "bwd": 2 * fwd, "total": 4 * fwd}
    costs["overhead_vs_no_ckpt"] = costs["total"] / (costs["fwd"] + costs["bwd"]) - 1
