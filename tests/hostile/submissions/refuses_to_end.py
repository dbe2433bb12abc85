"""Takes the exit away from the worker, ends its loop, and stays behind in an exit handler with the connection open."""
# topic: selective
# outcome: step7 none crashed or timeout
# seconds: 0.5

import atexit
import os
import time

os._exit = lambda status: None


@atexit.register
def _stay():
    while True:
        time.sleep(0.1)


def should_recompute(layer_type, activation_bytes, recompute_flops_ratio):
    raise KeyboardInterrupt
