"""The bytes are moved to the host and back."""
# loses: exercise4.choice
# says: one way


def breakeven_bandwidth(n_bytes, recompute_flops, flops_per_second):
    return 2 * n_bytes * flops_per_second / recompute_flops
