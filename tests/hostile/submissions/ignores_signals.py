"""Ignores and blocks every signal that can be, then loops."""
# topic: selective
# outcome: step7 none timeout
# seconds: 0.5

import signal


def should_recompute(layer_type, activation_bytes, recompute_flops_ratio):
    for number in range(1, 65):
        try:
            signal.signal(number, signal.SIG_IGN)
        except (OSError, ValueError):
            pass
    signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))
    while True:
        pass
