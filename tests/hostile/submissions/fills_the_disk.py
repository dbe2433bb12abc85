"""Writes files wherever it can, with and without a name."""
# topic: selective
# outcome: step7 full passed

import ctypes
import os
import tempfile

_written = []
_DATA = b"x" * 2**20
for _folder in (
    "@arena@/open",
    "@arena@",
    "/tmp",
    "/var/tmp",
    "/dev/shm",
    "/run",
    "/",
    ".",
    os.path.dirname(os.__file__),
    os.path.dirname(os.path.abspath(__import__("grader.worker").worker.__file__)),
):
    _path = f"{_folder}/left-by-a-hostile-file"
    for _flags in (
        os.O_WRONLY | os.O_CREAT,
        os.O_RDWR | os.O_CREAT | os.O_APPEND,
        os.O_RDONLY | os.O_CREAT,
        os.O_RDWR | getattr(os, "O_TMPFILE", 0),
    ):
        try:
            _number = os.open(_folder if _flags & getattr(os, "O_TMPFILE", 0) else _path, _flags, 0o666)
            os.write(_number, _DATA)
            _written.append(_path)
        except OSError:
            pass
    for _make in (os.mkdir, os.mkfifo, lambda path: os.symlink("/etc", path), lambda path: os.link(__file__, path)):
        try:
            _make(_path)
            _written.append(_path)
        except OSError:
            pass
try:
    _written.append(tempfile.mkstemp())
except OSError:
    pass
try:
    _number = os.memfd_create("left-by-a-hostile")
    os.write(_number, _DATA)
    _written.append("memfd")
except OSError:
    pass
if _written:
    raise RuntimeError(f"wrote {_written}")
