"""Aborts, and asks for a core dump."""
# topic: selective
# outcome: step7 none crashed

import faulthandler
import os

faulthandler.enable(2)


def should_recompute(layer_type, activation_bytes, recompute_flops_ratio):
    os.abort()
