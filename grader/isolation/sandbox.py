"""Start the worker's zygote in a sandbox, and find out by trying which sandbox this machine allows.

Two levels count as isolated. ``bwrap``: bubblewrap gives the zygote namespaces of its own, a file system
that holds the interpreter and numpy and nothing else, and no network; each child then seals itself
(:mod:`grader.worker.sealing`). ``landlock``: the children seal themselves and nothing surrounds them. A level
is taken only after a sealed child has failed to write, read, reach the network and fork.

What the caller sees to: the zygote's standard streams should be pipes or the null device, never a terminal or
a file; the zygote should be started from a thread that lives as long as the zygote, since bubblewrap ends
with the thread that started it; and the zygote must hold nothing that a student may not see.
"""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import inspect
import json
import os
import platform
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from grader.worker import sealing

__all__ = [
    "Isolation",
    "Level",
    "bwrap_command",
    "detect",
    "environment",
    "link_packages",
    "package_paths",
    "python_command",
    "readable_paths",
]

Level = Literal["bwrap", "landlock", "none"]
_LEVELS: tuple[Level, ...] = ("bwrap", "landlock", "none")
# Without these refusals nothing counts as isolated: a child could start processes, or reach the network.
_REQUIRED: dict[Level, tuple[str, ...]] = {
    "bwrap": ("seccomp",),
    "landlock": ("landlock", "seccomp"),
    "none": (),
}
_PROBE_SECONDS = 60
# Of the linear algebra library: exercises need no more, and a machine has other things to do.
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
# What numpy reads to suit a machine is passed on; everything else in the environment stays outside.
_PASSED_ON = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")


# --- what Python and numpy need -------------------------------------------------------------------


def package_paths(packages: Sequence[str] = ("numpy",)) -> list[str]:
    """Return the directories (or files) of installed packages, found without importing them.

    Parameters
    ----------
    packages
        Names as they are imported. Their dependencies are not added.

    Returns
    -------
    list of str
        Each package and, where wheels keep shared libraries beside it, its ``.libs``.

    Raises
    ------
    ModuleNotFoundError
        If a package is not installed.
    """
    paths = []
    for name in packages:
        spec = importlib.util.find_spec(name)
        if spec is None:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        found = [*(spec.submodule_search_locations or [spec.origin or ""])]
        beside = os.path.join(os.path.dirname(found[0]), f"{name}.libs")
        paths += [os.path.realpath(path) for path in (*found, beside) if os.path.exists(path)]
    return paths


def _interpreter_paths() -> list[str]:
    """Return the standard library and the shared libraries that the interpreter and its modules link to."""
    paths = {sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib")}
    paths = {path.replace(sys.prefix, sys.base_prefix, 1) for path in paths}
    base_library = os.path.join(sys.base_prefix, sys.platlibdir)
    if os.path.isdir(os.path.join(sys.base_prefix, "conda-meta")):
        paths.add(base_library)  # conda keeps all shared libraries there
    else:
        paths |= {str(path) for path in Path(base_library).glob("libpython*.so*")}
    # Debian: a directory per processor, which holds shared libraries only. Elsewhere: lib64.
    multiarch = sysconfig.get_config_var("MULTIARCH") or f"{platform.machine()}-linux-gnu"
    per_processor = [f"{root}/{multiarch}" for root in ("/lib", "/usr/lib") if os.path.isdir(f"{root}/{multiarch}")]
    paths |= {*per_processor, "/lib64", "/usr/lib64"}
    if not per_processor and not os.path.isdir("/usr/lib64"):
        paths |= {"/lib", "/usr/lib"}
    paths.add("/etc/ld.so.cache")
    return sorted(path for path in paths if os.path.exists(path))


def readable_paths(packages: Sequence[str] = ("numpy",)) -> list[str]:
    """Return the files and directories that a worker must be able to read.

    The interpreter's ``site-packages``, and all else that is installed beside `packages`, is not among them:
    it would hold pytest and the solutions.

    Parameters
    ----------
    packages
        Installed packages that students may import.

    Returns
    -------
    list of str
        Absolute paths.
    """
    return [*_interpreter_paths(), *package_paths(packages)]


def python_command() -> list[str]:
    """Return the command line that starts the bare interpreter: no virtual environment, no site-packages."""
    return [os.path.realpath(sys.executable), "-I", "-S", "-B", "-X", "utf8"]


def link_packages(directory: Path, packages: Sequence[str] = ("numpy",)) -> None:
    """Make `packages` importable from a private directory, by symbolic links.

    With this directory on ``sys.path`` in place of ``site-packages``, whatever else is installed there is
    plainly missing (``ModuleNotFoundError``) at every level of isolation.

    Parameters
    ----------
    directory
        The directory that will be on the worker's path. Others need to be able to read it (mode 0755).
    packages
        The same as for `readable_paths`.
    """
    for path in package_paths(packages):
        (directory / os.path.basename(path)).symlink_to(path)


def environment() -> dict[str, str]:
    """Return a worker's whole environment: nothing is inherited but numpy's settings for this machine."""
    passed_on = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    # Address space is limited: each thread of the linear algebra library would take 41 MB of it, and each
    # thread of the student's a heap of 64 MB. One and two are enough for the exercises.
    threads = {**ONE_THREAD, "MALLOC_ARENA_MAX": "2"}
    # No GPU: exercises need none, and a process that has used one cannot be forked.
    no_devices = {"CUDA_VISIBLE_DEVICES": "", "HIP_VISIBLE_DEVICES": ""}
    return {**passed_on, **threads, **no_devices, "LANG": "C.UTF-8"}


# --- bubblewrap -----------------------------------------------------------------------------------


def _parents(path: str) -> Iterator[str]:
    parts = path.split("/")[1:-1]
    for i in range(len(parts)):
        yield "/" + "/".join(parts[: i + 1])


def _mounts(paths: Iterable[str]) -> Iterator[list[str]]:
    """Yield the options that show `paths`, read-only, at the same places as outside."""
    made: set[str] = set()

    def place(path: str) -> Iterator[list[str]]:
        """Create the parents of `path`, following links as they are outside; bind what it leads to."""
        for parent in _parents(path):
            if parent in made:
                if os.path.islink(parent):
                    break
                continue
            made.add(parent)
            if os.path.islink(parent):
                yield ["--symlink", os.readlink(parent), parent]
                break
            # Made by bubblewrap itself it would be closed to the unprivileged user.
            yield ["--perms", "0755", "--dir", parent]
        real = os.path.realpath(path)
        if real != path:
            if os.path.islink(path) and path not in made:
                made.add(path)
                yield ["--symlink", os.readlink(path), path]
            yield from place(real)
        elif path not in made:
            made.add(path)
            yield ["--dev-bind" if path.startswith("/dev/") else "--ro-bind", path, path]
            for hidden in sealing.hidden_packages(path):
                made.update(parent for parent in _parents(f"{hidden}/") if parent.startswith(f"{path}/"))
                yield ["--perms", "0755", "--tmpfs", hidden]

    masks = []
    # Shorter first, so that a package inside a hidden directory is bound after that was hidden.
    for path in sorted(set(paths), key=len):
        for option in place(path):
            yield option
            if "--tmpfs" in option:
                masks.append(option[-1])
    for mask in masks:
        yield ["--remount-ro", mask]


def bwrap_command(
    inner: Sequence[str],
    readable: Sequence[str],
    *,
    files_as_root: bool = False,
    writable: str = "",
    setenv: Mapping[str, str] | None = None,
) -> list[str]:
    """Return the command that runs `inner` inside bubblewrap.

    Descriptors passed to the process (``pass_fds``) stay open inside. There is no ``/proc`` or ``/tmp``, there
    is no ``/dev`` unless something is writable, and nothing else can be written.

    Parameters
    ----------
    inner
        The command to run; its program is made visible.
    readable
        Files and directories that are visible, as in :attr:`grader.worker.sealing.SealPlan.readable`.
    files_as_root
        As in :class:`grader.worker.sealing.SealPlan`.
    writable
        A directory that can be written.
    setenv
        The environment inside, instead of :func:`environment`.

    Returns
    -------
    list of str
        The complete command.
    """
    command = [shutil.which("bwrap") or "bwrap"]
    if os.geteuid() == 0:
        # Enough to become another user and to end a child that has. Real root inside could do far more.
        command += ["--cap-drop", "ALL"]
        for capability in ("SETUID", "SETGID", "KILL", *(["DAC_READ_SEARCH"] if files_as_root else [])):
            command += ["--cap-add", f"CAP_{capability}"]
    else:
        command += ["--unshare-user"]
    command += ["--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"]
    command += ["--hostname", "worker", "--die-with-parent", "--new-session", "--clearenv"]
    for name, value in (environment() if setenv is None else setenv).items():
        command += ["--setenv", name, value]
    for option in _mounts([inner[0], *readable]):
        command += option
    if writable:
        command += ["--dev", "/dev", "--remount-ro", "/dev", "--bind", writable, writable]
    return [*command, "--chdir", writable or "/", "--remount-ro", "/", "--", *inner]


# --- which sandbox works --------------------------------------------------------------------------


@dataclass(frozen=True)
class Isolation:
    """What stands between a student's code and this machine.

    Attributes
    ----------
    level
        The sandbox that was found to work.
    layers
        What is in force in a sealed child, such as ``("bwrap", "rlimits", "landlock-7", "uid", "seccomp")``.
    detail
        One sentence for the instructor: why no better level is used, or empty.
    files_as_root
        Whether children keep root's right to read, as others cannot reach the interpreter.
    """

    level: Level
    layers: tuple[str, ...] = ()
    detail: str = ""
    files_as_root: bool = False

    def command(self, inner: Sequence[str], readable: Sequence[str]) -> list[str]:
        """Return the command that starts the zygote. Run it with :func:`environment` in a session of its own.

        Parameters
        ----------
        inner
            The zygote's own command, usually :func:`python_command` and more.
        readable
            :func:`readable_paths` and the zygote's own directory.
        """
        if self.level == "bwrap":
            return bwrap_command(inner, readable, files_as_root=self.files_as_root)
        return list(inner)

    def plan(
        self,
        readable: Sequence[str],
        *,
        keep: Sequence[int] = (0, 1, 2),
        limits: sealing.Limits | None = None,
    ) -> sealing.SealPlan:
        """Return the plan that a child seals itself by. It requires every layer that was found to work.

        Parameters
        ----------
        readable
            The same as for `command`.
        keep
            Descriptors that stay open in the child.
        limits
            Resource limits.
        """
        limits = limits or sealing.Limits()
        if self.level != "bwrap" and os.name == "posix" and os.geteuid() != 0:
            # Inside bubblewrap, and for the user that root becomes, the count starts afresh.
            limits = replace(limits, threads=limits.threads + _tasks_of_this_user())
        return sealing.SealPlan(
            limits=limits,
            readable=tuple(readable),
            keep=tuple(keep),
            files_as_root=self.files_as_root,
            require=tuple(layer.split("-")[0] for layer in self.layers if layer not in ("bwrap", "rlimits")),
        )


def _tasks_of_this_user() -> int:
    """Count the processes and threads that the limit on threads counts as well."""
    total = 0
    for entry in os.scandir("/proc") if os.path.isdir("/proc") else ():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):  # a process may end meanwhile
                total += len(os.listdir(f"{entry.path}/task")) if entry.stat().st_uid == os.getuid() else 0
    return total


# Runs in the sandbox: take the job from standard input, so that no directory has to be shared.
_PROBE = """
import json, sys, types
job = json.load(sys.stdin)
module = types.ModuleType("sealing")
sys.modules["sealing"] = module
exec(compile(job["source"], "sealing.py", "exec"), module.__dict__)
print(json.dumps(module.probe(job)))
"""


def _attempt(isolation: Isolation) -> dict[str, Any]:
    """Start the sandbox once, as it will be used, and let a sealed child try to get out."""
    readable = readable_paths()
    numpy = package_paths(("numpy",))[0]
    with tempfile.TemporaryDirectory() as directory:
        # Everything in here is open to others, so that only the sandbox can refuse it.
        Path(directory).chmod(0o755)
        secret, writable = Path(directory, "secret"), Path(directory, "open")
        secret.write_text("secret", encoding="utf-8")
        secret.chmod(0o644)
        writable.mkdir()
        writable.chmod(0o777)
        job = {
            "source": inspect.getsource(sealing),
            "plan": isolation.plan(readable).to_dict(),
            "directory": directory,
            "path": [os.path.dirname(numpy)],
            "packages": ["numpy"],
            # A module of the standard library, one of its shared libraries, and a part of numpy.
            "lazy": ["colorsys", "_lsprof", "numpy.polynomial"],
        }
        try:
            done = subprocess.run(  # noqa: S603 - the command is our own
                isolation.command([*python_command(), "-c", _PROBE], readable),
                input=json.dumps(job),
                capture_output=True,
                text=True,
                timeout=_PROBE_SECONDS,
                env=environment(),
                start_new_session=True,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return {"error": str(error)}
        if done.returncode != 0:
            return {"error": (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]}
        answer: dict[str, Any] = json.loads(done.stdout)
        if os.listdir(writable) and "write" not in answer.get("holes", []):
            answer["holes"] = [*answer.get("holes", []), "write"]
        return answer


def _try_level(level: Level) -> Isolation | str:
    """Return the isolation if the level works, else the reason why not."""
    if level == "bwrap" and shutil.which("bwrap") is None:
        return "bubblewrap is not installed"
    reason = ""
    for files_as_root in (False, True) if os.geteuid() == 0 else (False,):
        isolation = Isolation(level, files_as_root=files_as_root)
        answer = _attempt(isolation)
        if "error" in answer:
            reason = reason or f"{level}: {answer['error']}"
            continue
        layers = tuple(answer["layers"])
        missing = set(_REQUIRED[level]) - {layer.split("-")[0] for layer in layers}
        if missing:
            return f"{level}: no {' and no '.join(sorted(missing))}"
        if answer["holes"]:
            return f"{level}: not refused: {', '.join(answer['holes'])}"
        return Isolation(level, (("bwrap", *layers) if level == "bwrap" else layers), files_as_root=files_as_root)
    return reason


@functools.cache
def detect(prefer: str | None = None) -> Isolation:
    """Find the strongest isolation that works here, by trying it; the answer is kept for this process.

    Parameters
    ----------
    prefer
        Try this level first and stronger ones not at all.

    Returns
    -------
    Isolation
        Its level is ``"none"`` if nothing works; its detail then says why.
    """
    if prefer is not None and prefer not in _LEVELS:
        raise ValueError(f"no such level of isolation: {prefer!r}")
    reasons: list[str] = []
    start = 0 if prefer is None else [*_LEVELS].index(prefer)
    for level in _LEVELS[start:-1]:
        found = _try_level(level) if sys.platform == "linux" else f"{level}: only on Linux"
        if isinstance(found, Isolation):
            return Isolation(found.level, found.layers, "; ".join(reasons), found.files_as_root)
        reasons.append(found)
    # Root's children become nobody all the same, unless nobody could read the interpreter.
    as_root = sys.platform == "linux" and os.geteuid() == 0 and "error" in _attempt(Isolation("none"))
    return Isolation("none", (), "; ".join(reasons), as_root)
