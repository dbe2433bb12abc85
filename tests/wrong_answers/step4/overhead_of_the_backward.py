"""The overhead is recomputation divided by the backward alone."""
# loses: step4.overhead
# says: backward


def checkpoint_cost(n_layers, segment_size, flops_per_layer=1.0):
    costs = selective_checkpoint_cost(n_layers, 1.0, flops_per_layer)
    costs["overhead_vs_no_ckpt"] = costs["recompute"] / costs["bwd"]
    return costs
