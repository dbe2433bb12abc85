"""Stops itself, so that no handler and no limit on processor time ends it."""
# topic: selective
# outcome: step7 none timeout
# seconds: 0.5

import os
import signal


def should_recompute(layer_type, activation_bytes, recompute_flops_ratio):
    os.kill(os.getpid(), signal.SIGSTOP)
