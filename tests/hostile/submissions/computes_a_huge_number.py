"""Computes a number that is never finished, in one instruction that no signal handler interrupts."""
# topic: selective
# outcome: step7 none timeout or memory
# seconds: 0.5


def should_recompute(layer_type, activation_bytes, recompute_flops_ratio):
    return (7 ** (10**9)) > 0
