"""Waits without using the processor."""
# topic: selective
# outcome: step7 none timeout
# seconds: 0.5

import threading


def should_recompute(layer_type, activation_bytes, recompute_flops_ratio):
    threading.Event().wait()
