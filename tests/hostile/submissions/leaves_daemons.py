"""Tries to leave a process behind that outlives the deadline, in a session of its own, then loops."""
# topic: selective
# outcome: step7 none timeout
# seconds: 0.5

import os
import subprocess
import sys
import time


def _daemon():
    for start in (
        lambda: os.setsid(),
        lambda: os.setpgid(0, 0),
        lambda: os.fork(),
        lambda: subprocess.Popen([sys.executable, "-c", "import time; time.sleep(3)"], start_new_session=True),
    ):
        try:
            if start() == 0:
                time.sleep(3)
                os._exit(0)
        except OSError:
            pass


def should_recompute(layer_type, activation_bytes, recompute_flops_ratio):
    _daemon()
    while True:
        pass
