"""A timer raises errors at any moment, also in the middle of the worker's own code."""
# topic: selective
# outcome: step7 none crashed or error or failed or timeout
# seconds: 2

import signal
import time


def _late(number, frame):
    raise ValueError("too late")


signal.signal(signal.SIGALRM, _late)
signal.setitimer(signal.ITIMER_REAL, 0.0005, 0.0005)


def should_recompute(layer_type, activation_bytes, recompute_flops_ratio):
    while True:
        try:
            time.sleep(0.01)
        finally:
            return None
