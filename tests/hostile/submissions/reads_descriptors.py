"""Reads and maps whatever is open, to find the zygote's or the grader's files and sockets."""
# topic: selective
# outcome: step7 full passed

import mmap
import os
import stat

_sockets, _files = [], []
for _number in range(1024):
    try:
        _mode = os.fstat(_number).st_mode
    except OSError:
        continue
    if stat.S_ISSOCK(_mode):
        _sockets.append(_number)
    elif stat.S_ISREG(_mode) or stat.S_ISDIR(_mode):
        _files.append(_number)
        mmap.mmap(_number, 0, prot=mmap.PROT_READ)
if len(_sockets) != 1 or _files:
    raise RuntimeError(f"found {_sockets} {_files}")
