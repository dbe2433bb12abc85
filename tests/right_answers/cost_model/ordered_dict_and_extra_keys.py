"""An OrderedDict with more keys than were asked for, and whole numbers where they are exact."""

from collections import OrderedDict


def checkpoint_cost(n_layers, segment_size, flops_per_layer=1.0):
    result = OrderedDict(n_layers=n_layers, segments=-(-n_layers // segment_size))
    result["fwd"] = result["recompute"] = n_layers * flops_per_layer
    result["bwd"] = result["fwd"] * 2
    result["total"] = result["fwd"] * 4
    result["overhead_vs_no_ckpt"] = 4 / 3 - 1
    result["note"] = "the same for every segment size"
    return result
