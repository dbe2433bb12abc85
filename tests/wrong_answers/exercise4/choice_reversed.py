"""The more expensive one is chosen."""
# loses: exercise4.choice
# says: less time


def cheaper_choice(n_bytes, recompute_flops, bandwidth, flops_per_second):
    return "offload" if n_bytes / bandwidth > recompute_flops / flops_per_second else "recompute"
