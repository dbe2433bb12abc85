"""The time of recomputing is returned."""
# loses: exercise4.choice
# says: the time of recomputing


def breakeven_bandwidth(n_bytes, recompute_flops, flops_per_second):
    return recompute_flops / flops_per_second


def cheaper_choice(n_bytes, recompute_flops, bandwidth, flops_per_second):
    return "offload" if n_bytes / bandwidth < recompute_flops / flops_per_second else "recompute"
