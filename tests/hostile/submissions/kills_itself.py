"""Sends itself the signal that cannot be caught."""
# topic: selective
# outcome: step7 none crashed

import os
import signal


def should_recompute(layer_type, activation_bytes, recompute_flops_ratio):
    os.kill(os.getpid(), signal.SIGKILL)
