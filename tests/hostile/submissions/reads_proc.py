"""Goes through /proc: the parent's memory, command line, descriptors and all other processes."""
# topic: selective
# outcome: step7 full passed

import ctypes
import os

_found = []
_parent = os.getppid()
for _pid in ("self", str(_parent), "1", str(os.getpid())):
    for _name in ("mem", "maps", "environ", "cmdline", "status", "fd", "root", "cwd", "task", "mountinfo"):
        _path = f"/proc/{_pid}/{_name}"
        try:
            with open(_path, "rb") as _file:
                _found.append(_file.read(10))
        except OSError:
            pass
        try:
            _found += os.listdir(_path)
        except OSError:
            pass
try:
    _found += os.listdir("/proc")
except OSError:
    pass
_buffer = ctypes.create_string_buffer(8)


class _Vector(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]


_local = _Vector(ctypes.addressof(_buffer), 8)
_remote = _Vector(id(os) & ~0xFFF, 8)
_libc = ctypes.CDLL(None, use_errno=True)
if _libc.process_vm_readv(_parent, ctypes.byref(_local), 1, ctypes.byref(_remote), 1, 0) > 0:
    _found.append("memory of the parent")
if _found:
    raise RuntimeError(f"found {_found}")
