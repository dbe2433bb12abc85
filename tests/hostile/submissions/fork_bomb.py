"""Starts processes in every way there is; each would start more."""
# topic: selective
# outcome: step7 full passed

import ctypes
import multiprocessing
import os
import platform
import subprocess
import sys
import time

_started = []


def _in_the_child():
    # Bounded, should the sandbox fail: it says so, and ends.
    try:
        open("@arena@/open/left-by-a-hostile-child", "w").close()
    except OSError:
        pass
    time.sleep(2)
    os._exit(0)


def _attempt(start):
    try:
        _started.append(start())
    except OSError:
        pass


def _fork():
    pid = os.fork()
    if pid == 0:
        _in_the_child()
    return pid


for _ in range(5):
    _attempt(_fork)
_attempt(lambda: os.forkpty()[0] or _in_the_child())
_attempt(lambda: os.posix_spawn("/bin/true", ["true"], {}))
_attempt(lambda: subprocess.Popen([sys.executable, "-c", "0"]).pid)
_attempt(lambda: subprocess.Popen(["/bin/sh", "-c", "sleep 2"], start_new_session=True).pid)
_attempt(lambda: os.execv("/bin/true", ["true"]))
_attempt(lambda: os.popen("true").read())
_process = multiprocessing.get_context("fork").Process(target=_in_the_child)
_attempt(_process.start)
_libc = ctypes.CDLL(None, use_errno=True)
if os.system("true") == 0:
    _started.append("system")
if platform.machine() == "x86_64":
    _pid = _libc.syscall(57)
    if _pid == 0:
        _in_the_child()
    if _pid > 0:
        _started.append("fork")
if _started:
    raise RuntimeError(f"started {_started}")
