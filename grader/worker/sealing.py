"""Give up rights for good, before any code of a student is compiled or run.

The zygote forks a child for each submission and the child calls :func:`seal`. What is given up cannot be
taken back, by this process or by anything it starts. Each layer holds on its own, so that a mistake in one
is caught by another: resource limits, an unprivileged user, Landlock (files, TCP, signals) and a seccomp
allow-list of system calls.

Why not a package: pyseccomp needs the C library libseccomp, landlockpy and py-landlock do Landlock alone,
and everything bound into the sandbox for the worker is reachable by the student; the standard library's
ctypes does both in a few calls. The interfaces are described in the kernel's documentation,
``Documentation/userspace-api/landlock.rst`` and ``Documentation/userspace-api/seccomp_filter.rst``.

The module imports everywhere. Outside Linux (and on other processors) the layers that do not exist there are
left out, and :func:`seal` raises if the plan requires one of them.

Not defended here: names, sizes and times of files outside the allowed directories can be asked for (``stat``
is beyond Landlock; bubblewrap hides them), processor caches are shared, and what the zygote held in memory
when it forked can be read by the child.
"""

from __future__ import annotations

import ctypes
import errno
import functools
import glob
import importlib
import json
import os
import platform
import signal
import struct
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

if sys.platform != "win32":
    import resource

__all__ = [
    "Limits",
    "SealError",
    "SealPlan",
    "close_files",
    "drop_privileges",
    "filter_program",
    "filter_system_calls",
    "hidden_packages",
    "holes",
    "landlock_abi",
    "limit_resources",
    "prepare",
    "probe",
    "restrict_files",
    "seal",
]

_LINUX = sys.platform == "linux"
NOBODY = 65534


class SealError(RuntimeError):
    """A layer that the plan requires is not in force; the process must end at once."""


@dataclass(frozen=True)
class Limits:
    """What one child may use.

    Attributes
    ----------
    memory
        Address space in bytes. numpy alone takes about 175 MB of it.
    cpu_seconds
        Processor seconds of all threads together; the kernel kills at the limit.
    open_files
        One more than the highest file descriptor.
    threads
        Processes and threads that the child's user may have in all. Small stacks would otherwise allow
        tens of thousands. The kernel counts what else this user runs, such as other workers.
    """

    memory: int = 2 << 30
    cpu_seconds: int = 300
    open_files: int = 64
    threads: int = 1024


@dataclass(frozen=True)
class SealPlan:
    """What :func:`seal` does. Made on the trusted side, sent to the zygote as JSON.

    Attributes
    ----------
    limits
        Resource limits.
    readable
        Files and directories that may be read. ``site-packages`` and ``dist-packages`` inside one of them
        are left out, unless listed themselves.
    keep
        File descriptors that stay open. All others are closed: the zygote's own sockets above all.
    uid, gid
        Whom to become when started as root.
    files_as_root
        Keep the right to read root's files (beneath `readable` only). Needed where the interpreter lies in a
        directory that is closed to others, such as root's home.
    require
        Layers without which :func:`seal` raises: ``"uid"``, ``"landlock"``, ``"seccomp"``.
    """

    limits: Limits = field(default_factory=Limits)
    readable: tuple[str, ...] = ()
    keep: tuple[int, ...] = (0, 1, 2)
    uid: int = NOBODY
    gid: int = NOBODY
    files_as_root: bool = False
    require: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the plan as a dictionary that JSON can carry."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> SealPlan:
        """Rebuild a plan from :meth:`to_dict`, also after a round trip through JSON."""
        lists = {name: tuple(values[name]) for name in ("readable", "keep", "require")}
        return cls(**{**values, **lists, "limits": Limits(**values["limits"])})


# --- calling the kernel ---------------------------------------------------------------------------


@functools.cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _call(function: str, *arguments: int | bytes | ctypes.Array[Any] | None) -> int:
    """Call a C function. Whole numbers go as ``long``: a variadic function would otherwise get 32 bits."""
    converted = [ctypes.c_long(value) if isinstance(value, int) else value for value in arguments]
    target = getattr(_libc(), function)
    target.restype = ctypes.c_long if function == "syscall" else ctypes.c_int
    result = int(target(*converted))
    if result == -1:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), function)
    return result


_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_KEEPCAPS, _PR_SET_NO_NEW_PRIVS = 1, 4, 8, 38


def _prctl(option: int, value: int) -> None:
    _call("prctl", option, value, 0, 0, 0)


# --- resource limits ------------------------------------------------------------------------------


def limit_resources(limits: Limits) -> None:
    """Set the resource limits, hard and soft alike, never above a hard limit already in force.

    No file can grow, no core is written. The stack is left alone. A limit that the system does not know or
    cannot enforce (Windows has none, macOS ignores some) is left out.

    Parameters
    ----------
    limits
        The limits to set.
    """
    if sys.platform == "win32":
        return
    wanted = {
        "RLIMIT_CORE": 0,
        "RLIMIT_FSIZE": 0,
        "RLIMIT_AS": limits.memory,
        "RLIMIT_CPU": limits.cpu_seconds,
        "RLIMIT_NOFILE": limits.open_files,
        "RLIMIT_NPROC": limits.threads,
    }
    for name, value in wanted.items():
        number = getattr(resource, name, None)
        if number is None:
            continue
        hard = resource.getrlimit(number)[1]
        limit = value if hard == resource.RLIM_INFINITY else min(value, hard)
        try:
            resource.setrlimit(number, (limit, limit))
        except (OSError, ValueError):
            if _LINUX:  # elsewhere some limits exist in name only
                raise


def _close_range(first: int, last: int) -> None:
    if _LINUX:
        try:
            _call("syscall", 436, first, last, 0)  # close_range: one call, whatever the limit
        except OSError:
            pass  # before Linux 5.9
        else:
            return
    os.closerange(first, min(last + 1, os.sysconf("SC_OPEN_MAX")))


def close_files(keep: Sequence[int]) -> None:
    """Close every file descriptor that is not in `keep`.

    Parameters
    ----------
    keep
        Descriptors that stay open.
    """
    if sys.platform == "win32":
        return  # only what is handed over is inherited there
    first = 0
    for descriptor in [*sorted(set(keep)), None]:
        last = 0xFFFF_FFFF if descriptor is None else descriptor - 1
        if first <= last:
            _close_range(first, last)
        if descriptor is not None:
            first = descriptor + 1


# --- user and capabilities ------------------------------------------------------------------------

_CAP_DAC_READ_SEARCH, _CAP_SETUID = 2, 7
_CAPABILITY_VERSION_3 = 0x2008_0522


def _permitted_capabilities() -> int:
    header = struct.pack("=Ii", _CAPABILITY_VERSION_3, 0)
    data = ctypes.create_string_buffer(24)
    _call("capget", header, data)
    words = struct.unpack("=6I", data.raw)
    return int(words[1] | words[4] << 32)


def _set_capabilities(mask: int) -> None:
    """Make `mask` the permitted and effective set, and nothing inheritable."""
    low, high = mask & 0xFFFF_FFFF, mask >> 32
    header = struct.pack("=Ii", _CAPABILITY_VERSION_3, 0)
    _call("capset", header, struct.pack("=6I", low, low, 0, high, high, 0))


def drop_privileges(uid: int, gid: int, *, files_as_root: bool = False) -> bool:
    """Become an unprivileged user for good, when started as root, and give up all capabilities.

    Also forbids gaining rights through set-user-ID programs, makes the process unreadable for debuggers, and
    has the kernel kill it when the thread that forked it ends.

    Parameters
    ----------
    uid, gid
        Whom to become.
    files_as_root
        Keep reading what root may read: with the capability ``CAP_DAC_READ_SEARCH`` where root has it (it
        cannot write), else (in containers) with root as the owner in file checks alone. Use it only together
        with Landlock.

    Returns
    -------
    bool
        Whether the user was changed.
    """
    if not _LINUX:
        return False
    _prctl(_PR_SET_NO_NEW_PRIVS, 1)
    root = os.geteuid() == 0
    keep = 0
    if root:
        if files_as_root:
            keep = _permitted_capabilities() & (1 << _CAP_DAC_READ_SEARCH)
            _prctl(_PR_SET_KEEPCAPS, 1)
        os.setgroups([])
        os.setresgid(gid, gid, gid)
        os.setresuid(uid, uid, uid)
        if files_as_root:
            _prctl(_PR_SET_KEEPCAPS, 0)
            if not keep:
                _set_capabilities(1 << _CAP_SETUID)
                _call("setfsuid", 0)
    _set_capabilities(keep)
    if root:
        _check_unprivileged(uid, gid, keep)
    _prctl(_PR_SET_DUMPABLE, 0)
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)  # after the change of user, which clears it
    return root


def _check_unprivileged(uid: int, gid: int, capabilities: int) -> None:
    """Raise unless root is out of reach."""
    if os.getresuid() != (uid,) * 3 or os.getresgid() != (gid,) * 3 or os.getgroups():
        raise SealError("the change of user did not take place")
    if _permitted_capabilities() != capabilities:
        raise SealError("capabilities are left")
    undo: tuple[tuple[Callable[..., None], tuple[Any, ...]], ...] = (
        (os.setresuid, (0, 0, 0)),
        (os.setresgid, (0, 0, 0)),
        (os.setgroups, ([0],)),
    )
    for function, arguments in undo:
        try:
            function(*arguments)
        except PermissionError:
            continue
        raise SealError("the change of user can be undone")


# --- Landlock -------------------------------------------------------------------------------------

# The same numbers on every processor.
_LANDLOCK_CREATE_RULESET, _LANDLOCK_ADD_RULE, _LANDLOCK_RESTRICT_SELF = 444, 445, 446
_READ_FILE, _READ_DIR = 1 << 2, 1 << 3
# Number of file rights known to each version of the interface. 4: TCP. 6: scopes. 9: named sockets.
_FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16, 6: 16, 7: 16, 8: 16, 9: 17}
_TCP_BIND_AND_CONNECT = 0b11
_SCOPE_ABSTRACT_SOCKETS_AND_SIGNALS = 0b11
_LOG_SAME_EXEC_OFF = 1  # else a loop of refused calls floods the system's audit log
_PACKAGES = ("site-packages", "dist-packages")


def landlock_abi() -> int:
    """Return the version of Landlock's interface in this kernel, 0 where there is none."""
    if not _LINUX:
        return 0
    try:
        return _call("syscall", _LANDLOCK_CREATE_RULESET, None, 0, 1)
    except OSError:
        return 0


def _ruleset_attributes(abi: int) -> bytes:
    """Everything this version can refuse is refused, unless a rule allows it."""
    files = (1 << _FILE_RIGHTS[min(abi, max(_FILE_RIGHTS))]) - 1
    words = [files]
    if abi >= 4:
        words.append(_TCP_BIND_AND_CONNECT)
    if abi >= 6:
        words.append(_SCOPE_ABSTRACT_SOCKETS_AND_SIGNALS)
    return struct.pack(f"={len(words)}Q", *words)


def hidden_packages(path: str) -> list[str]:
    """Return the directories of installed packages inside `path`: they can hold solutions.

    Parameters
    ----------
    path
        A directory that is to be readable.

    Returns
    -------
    list of str
        ``site-packages`` and ``dist-packages``, at most two levels down.
    """
    root = glob.escape(path)
    return sorted(
        found
        for name in _PACKAGES
        for pattern in (f"{root}/{name}", f"{root}/*/{name}")
        for found in glob.glob(pattern)
    )


def _rules(path: str, hidden: Sequence[str]) -> Iterator[tuple[str, int]]:
    """Yield the paths and rights that together allow `path` without `hidden`.

    Landlock only adds rights, so what is hidden is left out by listing its neighbours. The list of names in
    a directory above it stays readable, because imports read it.
    """
    if not os.path.isdir(path):
        yield path, _READ_FILE
    elif not any(name.startswith(f"{path}/") for name in hidden):
        yield path, _READ_FILE | _READ_DIR
    else:
        yield path, _READ_DIR
        for entry in os.scandir(path):
            if entry.path not in hidden:
                yield from _rules(entry.path, hidden)


@functools.cache
def _ruleset(readable: tuple[str, ...], abi: int) -> int:
    """Return a descriptor of the rules. Kept, so that a zygote builds it once for all its children."""
    attributes = _ruleset_attributes(abi)
    ruleset = _call("syscall", _LANDLOCK_CREATE_RULESET, attributes, len(attributes), 0)
    for root in readable:
        for path, rights in _rules(root, hidden_packages(root)):
            try:
                descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
            except FileNotFoundError:
                continue  # nothing to read there
            try:
                _call("syscall", _LANDLOCK_ADD_RULE, ruleset, 1, struct.pack("=Qi", rights, descriptor), 0)
            finally:
                os.close(descriptor)
    return ruleset


def restrict_files(readable: Sequence[str]) -> int:
    """Allow reading beneath `readable` and no other use of files (Landlock).

    Nothing can be written, created, removed or executed anywhere. TCP is refused from version 4 of the
    interface on, abstract sockets and signals to processes outside from version 6 on. Files that are open
    already stay usable.

    Parameters
    ----------
    readable
        Files and directories, as in :attr:`SealPlan.readable`.

    Returns
    -------
    int
        The version of the interface, 0 when there is none.
    """
    abi = landlock_abi()
    if abi:
        ruleset = _ruleset(tuple(readable), abi)
        _prctl(_PR_SET_NO_NEW_PRIVS, 1)
        _call("syscall", _LANDLOCK_RESTRICT_SELF, ruleset, _LOG_SAME_EXEC_OFF if abi >= 7 else 0)
    return abi


# --- seccomp --------------------------------------------------------------------------------------

# System calls that are allowed whatever their arguments: their numbers on x86-64 and on aarch64.
_ALLOWED: dict[str, tuple[int | None, int | None]] = {
    # descriptors that are open already
    "read": (0, 63),
    "readv": (19, 65),
    "pread64": (17, 67),
    "preadv": (295, 69),
    "write": (1, 64),
    "writev": (20, 66),
    "lseek": (8, 62),
    "close": (3, 57),
    "dup": (32, 23),
    "dup2": (33, None),
    "dup3": (292, 24),
    "recvfrom": (45, 207),
    "recvmsg": (47, 212),
    "sendmsg": (46, 211),
    "shutdown": (48, 210),
    "getsockname": (51, 204),
    "getpeername": (52, 205),
    "poll": (7, None),
    "ppoll": (271, 73),
    "select": (23, None),
    "pselect6": (270, 72),
    "epoll_create1": (291, 20),
    "epoll_ctl": (233, 21),
    "epoll_wait": (232, None),
    "epoll_pwait": (281, 22),
    # looking for modules
    "access": (21, None),
    "faccessat": (269, 48),
    "faccessat2": (439, 439),
    "fstat": (5, 80),
    "getcwd": (79, 17),
    "getdents64": (217, 61),
    "lstat": (6, None),
    "newfstatat": (262, 79),
    "readlink": (89, None),
    "readlinkat": (267, 78),
    "stat": (4, None),
    "statx": (332, 291),
    # memory
    "brk": (12, 214),
    "madvise": (28, 233),
    "mmap": (9, 222),
    "mprotect": (10, 226),
    "mremap": (25, 216),
    "munmap": (11, 215),
    # threads and the end of the process
    "exit": (60, 93),
    "exit_group": (231, 94),
    "futex": (202, 98),
    "getcpu": (309, 168),
    "restart_syscall": (219, 128),
    "rseq": (334, 293),
    "sched_getaffinity": (204, 123),
    "sched_yield": (24, 124),
    "set_robust_list": (273, 99),
    # signals within the process
    "alarm": (37, None),
    "getitimer": (36, 102),
    "pause": (34, None),
    "rt_sigaction": (13, 134),
    "rt_sigpending": (127, 136),
    "rt_sigprocmask": (14, 135),
    "rt_sigreturn": (15, 139),
    "rt_sigsuspend": (130, 133),
    "rt_sigtimedwait": (128, 137),
    "setitimer": (38, 103),
    "sigaltstack": (131, 132),
    # questions
    "clock_getres": (229, 114),
    "clock_gettime": (228, 113),
    "clock_nanosleep": (230, 115),
    "getegid": (108, 177),
    "geteuid": (107, 175),
    "getgid": (104, 176),
    "getgroups": (115, 158),
    "getpgid": (121, 155),
    "getpgrp": (111, None),
    "getpid": (39, 172),
    "getppid": (110, 173),
    "getrandom": (318, 278),
    "getresgid": (120, 150),
    "getresuid": (118, 148),
    "getrlimit": (97, 163),
    "getrusage": (98, 165),
    "getsid": (124, 156),
    "gettid": (186, 178),
    "gettimeofday": (96, 169),
    "getuid": (102, 174),
    "nanosleep": (35, 101),
    "sysinfo": (99, 179),
    "time": (201, None),
    "times": (100, 153),
    "uname": (63, 160),
}


@dataclass(frozen=True)
class _Only:
    """One argument must have, under the mask, one of these values; None stands for the own process number.

    Only the lower half is compared, as the kernel uses no more of an ``int``; a pointer is compared whole.
    """

    argument: int
    values: tuple[int | None, ...]
    mask: int = 0xFFFF_FFFF
    pointer: bool = False


_NULL = (0,)
# clone: a thread that shares all, with no new namespace, no tracing and no process descriptor.
_THREAD = 0x0001_0000 | 0x0000_0800 | 0x0000_0100  # CLONE_THREAD, CLONE_SIGHAND, CLONE_VM
_NOT_THREAD = 0x7E02_0000 | 0x0000_F000  # CLONE_NEW*, CLONE_PIDFD, CLONE_PTRACE, CLONE_VFORK, CLONE_PARENT
# open: O_ACCMODE, O_CREAT, O_TRUNC, O_APPEND, O_PATH and O_TMPFILE, equal on both processors.
_OPEN_OTHER_THAN_READ = 0x3 | 0x40 | 0x200 | 0x400 | 0x20_0000 | 0x40_0000

# System calls that are allowed with these arguments.
_CONDITIONAL: dict[str, tuple[tuple[int | None, int | None], tuple[_Only, ...]]] = {
    "clone": ((56, 220), (_Only(0, (_THREAD,), mask=_THREAD | _NOT_THREAD),)),
    "open": ((2, None), (_Only(1, (0,), mask=_OPEN_OTHER_THAN_READ),)),
    "openat": ((257, 56), (_Only(2, (0,), mask=_OPEN_OTHER_THAN_READ),)),
    # To itself only: abort() and raise() need it.
    "kill": ((62, 129), (_Only(0, (None,)),)),
    "tgkill": ((234, 131), (_Only(0, (None,)),)),
    # F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_DUPFD_CLOEXEC. F_SETOWN would send signals to others.
    "fcntl": ((72, 25), (_Only(1, (0, 1, 2, 3, 4, 1030)),)),
    # TCGETS, TCGETS2 (is it a terminal?), TIOCGWINSZ, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX.
    "ioctl": ((16, 29), (_Only(1, (0x5401, 0x802C_542A, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)),)),
    # PR_GET_DUMPABLE, PR_SET_NAME, PR_GET_NAME, PR_GET_SECCOMP, PR_GET_NO_NEW_PRIVS, PR_SET_VMA.
    "prctl": ((157, 167), (_Only(0, (3, 15, 16, 21, 39, 0x5356_4D41)),)),
    # Read the own limits.
    "prlimit64": ((302, 261), (_Only(0, _NULL), _Only(2, _NULL, pointer=True))),
    # Without an address: to the peer.
    "sendto": ((44, 206), (_Only(4, _NULL, pointer=True),)),
    # SOL_SOCKET: SO_TYPE, SO_ERROR, SO_ACCEPTCONN, SO_PROTOCOL, SO_DOMAIN. SO_PEERPIDFD is a handle on
    # another process.
    "getsockopt": ((55, 209), (_Only(1, (1,)), _Only(2, (3, 4, 30, 38, 39)))),
}

# The C library falls back to clone and openat when these "do not exist"; their flags lie in memory, where a
# filter cannot look. The numbers are the same on both processors.
_CLONE3, _OPENAT2 = 435, 437
# From here on the C library may try calls that are newer than this list, and falls back as well. The numbers
# of x86-64's 32-bit twin (x32) are far above, so it is refused too.
_NEWER = 449

_LOAD, _AND, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x54, 0x15, 0x35, 0x06
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16  # offsets in struct seccomp_data
_ALLOW = 0x7FFF_0000
_ERRNO = 0x0005_0000
# machine: (column in the tables above, AUDIT_ARCH value, number of the system call seccomp)
_MACHINES = {"x86_64": (0, 0xC000_003E, 317), "aarch64": (1, 0xC000_00B7, 277)}

_Instruction = tuple[int, int, int, int | None]  # operation, jump if true, jump if false, constant


def _require(only: _Only) -> list[_Instruction]:
    """Continue if the condition holds, else return EPERM."""
    refuse: _Instruction = (_RETURN, 0, 0, _ERRNO | errno.EPERM)
    offset = _ARGUMENTS + 8 * only.argument
    code: list[_Instruction] = [(_LOAD, 0, 0, offset)]
    if only.mask != 0xFFFF_FFFF:
        code.append((_AND, 0, 0, only.mask))
    code += [(_EQUAL, len(only.values) - i, 0, value) for i, value in enumerate(only.values)]
    code.append(refuse)
    if only.pointer:
        code += [(_LOAD, 0, 0, offset + 4), (_EQUAL, 1, 0, 0), refuse]
    return code


@functools.cache
def _filter(machine: str) -> tuple[_Instruction, ...]:
    """Assemble the filter program; the constant None stands for the own process number."""
    column, architecture, _ = _MACHINES[machine]
    refuse: _Instruction = (_RETURN, 0, 0, _ERRNO | errno.EPERM)
    unknown: _Instruction = (_RETURN, 0, 0, _ERRNO | errno.ENOSYS)
    code: list[_Instruction] = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_EQUAL, 1, 0, architecture),
        refuse,  # 32-bit calls have other numbers
        (_LOAD, 0, 0, _NUMBER),
        (_AT_LEAST, 0, 1, _NEWER),
        unknown,
    ]
    allow: _Instruction = (_RETURN, 0, 0, _ALLOW)
    rules = [(numbers[column], [allow]) for numbers in _ALLOWED.values()]
    for numbers, conditions in _CONDITIONAL.values():
        body = [instruction for only in conditions for instruction in _require(only)]
        rules.append((numbers[column], [*body, allow]))
    rules += [(_CLONE3, [unknown]), (_OPENAT2, [unknown])]
    for number, body in rules:
        if number is not None:
            # A body always ends in a return, so the number is still loaded after the jump over it.
            code += [(_EQUAL, 0, len(body), number), *body]
    return (*code, refuse)


def filter_program(machine: str, pid: int) -> bytes:
    """Return the seccomp program for a kind of processor.

    Parameters
    ----------
    machine
        ``"x86_64"`` or ``"aarch64"``.
    pid
        The only process that may be sent signals.

    Returns
    -------
    bytes
        An array of ``struct sock_filter``.
    """
    flat: list[int] = []
    for operation, if_true, if_false, constant in _filter(machine):
        flat += (operation, if_true, if_false, pid if constant is None else constant)
    return struct.pack("=" + "HBBI" * (len(flat) // 4), *flat)


def filter_system_calls() -> bool:
    """Refuse every system call that is not on the allow-list, for all threads (seccomp).

    A refused call fails with ``EPERM``, so that Python raises an ordinary ``PermissionError``.

    Returns
    -------
    bool
        False where there is no filter for this system or processor.
    """
    machine = platform.machine()
    if not _LINUX or machine not in _MACHINES or struct.calcsize("P") != 8:
        return False
    program = filter_program(machine, os.getpid())
    buffer = ctypes.create_string_buffer(program, len(program))
    header = struct.pack("@HP", len(program) // 8, ctypes.addressof(buffer))
    _prctl(_PR_SET_NO_NEW_PRIVS, 1)
    set_mode_filter, all_threads = 1, 1
    try:
        # A number above 0 names a thread that could not be included.
        return _call("syscall", _MACHINES[machine][2], set_mode_filter, all_threads, header) == 0
    except OSError:
        return False


# --- all of it ------------------------------------------------------------------------------------


def prepare(plan: SealPlan) -> None:
    """Do in the zygote what is the same for all its children, so that sealing one costs less.

    Parameters
    ----------
    plan
        The plan that the children will follow.
    """
    abi = landlock_abi()
    if abi:
        _ruleset(plan.readable, abi)
    if _LINUX and platform.machine() in _MACHINES:
        _filter(platform.machine())


def seal(plan: SealPlan) -> list[str]:
    """Give up every right that the plan does not grant. Call it in a fresh child with a single thread.

    Parameters
    ----------
    plan
        What to keep.

    Returns
    -------
    list of str
        The layers now in force, such as ``["rlimits", "landlock-7", "uid", "seccomp"]``.

    Raises
    ------
    SealError, OSError
        If a layer is required and missing, or failed half way. The process must end without running anything.
    """
    layers = []
    limit_resources(plan.limits)
    if sys.platform != "win32":
        layers.append("rlimits")
    # Before the change of user, after which the readable directories may be out of reach.
    abi = restrict_files(plan.readable)
    if abi:
        layers.append(f"landlock-{abi}")
    close_files(plan.keep)
    if drop_privileges(plan.uid, plan.gid, files_as_root=plan.files_as_root and abi > 0):
        layers.append("uid")
    if filter_system_calls():
        layers.append("seccomp")
    missing = set(plan.require) - {layer.split("-")[0] for layer in layers}
    if missing:
        raise SealError(f"not in force: {', '.join(sorted(missing))}")
    return layers


# --- trying it ------------------------------------------------------------------------------------


def _write(path: str) -> None:
    with open(path, "w", encoding="utf-8") as file:
        file.write("x")


def _read(path: str) -> None:
    with open(path, encoding="utf-8") as file:
        file.read()


def _socket() -> None:
    import socket

    socket.socket().close()


def _fork() -> None:
    if os.fork() == 0:
        os._exit(0)
    os.wait()


def holes(directory: str) -> list[str]:
    """Try what a sealed process must not be able to do; return the names of what it could do.

    Parameters
    ----------
    directory
        A directory of the trusted side with a file ``secret`` that others may read and a directory ``open``
        that others may write to, so that a refusal is due to the sandbox.

    Returns
    -------
    list of str
        Empty in a sealed process.
    """
    found = []
    for name, attempt in {
        "write": lambda: _write(f"{directory}/open/written"),
        "read": lambda: _read(f"{directory}/secret"),
        "network": _socket,
        "fork": _fork,
    }.items():
        try:
            attempt()
        except OSError:
            continue
        found.append(name)
    return found


def probe(job: Mapping[str, Any]) -> dict[str, Any]:
    """Play zygote and child once: fork, seal, try, report.

    Parameters
    ----------
    job
        ``plan`` (a dictionary), ``directory`` (see :func:`holes`), ``path`` (what to add to ``sys.path``),
        ``packages`` (imported before the fork) and ``lazy`` (imported after sealing).

    Returns
    -------
    dict
        ``layers`` and ``holes``, or ``error``.
    """
    sys.path[:0] = job["path"]
    for name in job["packages"]:
        importlib.import_module(name)
    plan = SealPlan.from_dict(job["plan"])
    prepare(plan)
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            layers = seal(SealPlan.from_dict({**plan.to_dict(), "keep": (0, 1, 2, writer)}))
            for name in job["lazy"]:
                importlib.import_module(name)
            report: dict[str, Any] = {"layers": layers, "holes": holes(job["directory"])}
        except Exception as error:  # noqa: BLE001 - whatever went wrong is the answer
            report = {"error": f"{type(error).__name__}: {error}"}
        os.write(writer, json.dumps(report).encode())
        time.sleep(60)  # until killed: being able to kill the child is part of what is tried
        os._exit(0)
    os.close(writer)
    text = os.read(reader, 65536)
    os.close(reader)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    answer: dict[str, Any] = json.loads(text or '{"error": "the sealed process ended without an answer"}')
    return answer
