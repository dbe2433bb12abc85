"""When both take the same time, it offloads."""
# loses: exercise4.choice
# says: same time


def cheaper_choice(n_bytes, recompute_flops, bandwidth, flops_per_second):
    return "offload" if n_bytes / bandwidth <= recompute_flops / flops_per_second else "recompute"
