"""Offloading is charged for both ways."""
# loses: exercise4.choice
# says: n_bytes / bandwidth to move


def cheaper_choice(n_bytes, recompute_flops, bandwidth, flops_per_second):
    return "offload" if 2 * n_bytes / bandwidth < recompute_flops / flops_per_second else "recompute"
