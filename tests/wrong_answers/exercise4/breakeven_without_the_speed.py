"""The speed of the device is left out."""
# loses: exercise4.choice
# says: flops_per_second is ignored


def breakeven_bandwidth(n_bytes, recompute_flops, flops_per_second):
    return n_bytes / recompute_flops
