"""True stands for offload."""
# loses: exercise4.choice
# says: strings


def cheaper_choice(n_bytes, recompute_flops, bandwidth, flops_per_second):
    return n_bytes / bandwidth < recompute_flops / flops_per_second
