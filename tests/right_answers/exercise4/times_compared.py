"""The two times are compared, and the break-even is where they are equal."""


def breakeven_bandwidth(n_bytes, recompute_flops, flops_per_second):
    seconds = recompute_flops / flops_per_second
    return n_bytes / seconds


def cheaper_choice(n_bytes, recompute_flops, bandwidth, flops_per_second):
    seconds = {"recompute": recompute_flops / flops_per_second, "offload": n_bytes / bandwidth}
    return min(seconds, key=seconds.get)
