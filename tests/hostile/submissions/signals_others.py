"""Sends signals to its parent, to its group and to everybody."""
# topic: selective
# outcome: step7 full passed

import ctypes
import os
import signal

_sent = []
_libc = ctypes.CDLL(None, use_errno=True)
_parent = os.getppid()
# SIGCONT harms nobody, should the sandbox fail.
for _target in (_parent, -1, 0, -os.getpgrp(), 1, 2, -_parent):
    for _number in (signal.SIGCONT, 0):
        try:
            os.kill(_target, _number)
            _sent.append(_target)
        except OSError:
            pass
if _parent > 0 and _libc.tgkill(_parent, _parent, signal.SIGCONT) == 0:
    _sent.append("tgkill")
try:
    _sent.append(os.pidfd_open(_parent))
except OSError:
    pass
for _call in (200, 129, 297, 424):  # tkill, rt_sigqueueinfo, rt_tgsigqueueinfo, pidfd_send_signal
    if _libc.syscall(_call, _parent, signal.SIGCONT, None, 0) == 0:
        _sent.append(_call)
if _sent:
    raise RuntimeError(f"sent to {_sent}")
