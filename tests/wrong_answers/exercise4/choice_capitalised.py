"""The answers begin with a capital."""
# loses: exercise4.choice
# says: two answers


def cheaper_choice(n_bytes, recompute_flops, bandwidth, flops_per_second):
    return "Offload" if n_bytes / bandwidth < recompute_flops / flops_per_second else "Recompute"
