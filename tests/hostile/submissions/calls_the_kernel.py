"""Asks the kernel for tracing, namespaces, mounts, rings, keys, programs and other memory."""
# topic: selective
# outcome: step7 full passed

import ctypes
import os
import platform

_libc = ctypes.CDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long
_X86 = {
    "ptrace": (101, 16, os.getppid(), 0, 0), "be traced": (101, 0, 0, 0, 0), "unshare": (272, 0x10000000),
    "unshare files": (272, 0x400), "setns": (308, 3, 0), "mount": (165, b"none", b"/tmp", b"tmpfs", 0, None),
    "chroot": (161, b"/"), "pivot_root": (155, b"/", b"/"), "io_uring_setup": (425, 8, ctypes.create_string_buffer(120)),
    "io_uring_enter": (426, 3, 1, 0, 0, None, 0), "bpf": (321, 0, None, 0), "perf_event_open": (298, None, 0, -1, -1, 0),
    "userfaultfd": (323, 0), "keyctl": (250, 0, 0, 0, 0, 0), "add_key": (248, b"user", b"a", b"b", 1, -3),
    "memfd_create": (319, b"a", 0), "memfd_secret": (447, 0), "open_by_handle_at": (304, 3, None, 0),
    "process_vm_writev": (311, os.getppid(), None, 0, None, 0, 0), "kcmp": (312, os.getppid(), 1, 0, 0, 0),
    "personality": (135, 0x0040000), "seccomp": (317, 2, 0, ctypes.create_string_buffer(4)), "init_module": (175, None, 0, b""),
    "kexec_load": (246, 0, 0, None, 0), "reboot": (169, 0, 0, 0, None), "swapon": (167, b"/x", 0),
    "iopl": (172, 3), "modify_ldt": (154, 0, None, 0), "acct": (163, None), "quotactl": (179, 0, None, 0, None),
    "setuid": (105, 0), "setgid": (106, 0), "setsid": (112,), "setpgid": (109, 0, 0), "setfsuid to root": (122, -1),
    "capset": (126, ctypes.create_string_buffer(8), ctypes.create_string_buffer(24)),
    "sched_setaffinity": (203, 0, 8, ctypes.create_string_buffer(8)), "setpriority": (141, 0, 0, 5),
    "clone a namespace": (56, 0x10000000 | 17, 0, 0, 0, 0), "clone3": (435, ctypes.create_string_buffer(88), 88),
    "execveat": (322, -100, b"/bin/true", None, None, 0), "inotify_init": (253,), "fanotify_init": (300, 0, 0),
    "shmget": (29, 0, 4096, 0o1600), "msgget": (68, 0, 0o1600), "mq_open": (240, b"a", 0o102, 0o600, None),
    "pidfd_getfd": (438, 3, 0, 0), "move_mount": (429, 0, None, 0, None, 0), "fsopen": (430, b"tmpfs", 0),
    "x32 getpid": (0x40000027,), "pkey_alloc": (330, 0, 0), "dumpable": (157, 4, 1, 0, 0, 0),
    "no death signal": (157, 1, 0, 0, 0, 0), "landlock": (444, None, 0, 1), "chdir": (80, b"/tmp"),
}  # fmt: skip
_gained = []
if platform.machine() == "x86_64":
    for _name, (_number, *_arguments) in _X86.items():
        _values = [ctypes.c_long(value) if isinstance(value, int) else value for value in _arguments]
        if _libc.syscall(ctypes.c_long(_number), *_values) >= 0:
            _gained.append(_name)
elif _libc.ptrace(16, os.getppid(), 0, 0) == 0 or _libc.unshare(0x10000000) == 0 or _libc.syscall(425, 8, None) >= 0:
    _gained.append("something")
if _gained:
    raise RuntimeError(f"the kernel granted {_gained}")
