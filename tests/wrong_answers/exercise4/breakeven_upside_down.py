"""Bytes and FLOPs have changed places."""
# loses: exercise4.choice
# says: upside down


def breakeven_bandwidth(n_bytes, recompute_flops, flops_per_second):
    return recompute_flops / (n_bytes * flops_per_second)
