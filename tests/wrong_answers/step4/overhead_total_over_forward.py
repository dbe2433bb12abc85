"""The overhead is the total divided by the forward."""
# loses: step4.overhead


def checkpoint_cost(n_layers, segment_size, flops_per_layer=1.0):
    costs = selective_checkpoint_cost(n_layers, 1.0, flops_per_layer)
    costs["overhead_vs_no_ckpt"] = costs["total"] / costs["fwd"]
    return costs
