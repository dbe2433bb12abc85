"""Run a whole notebook, for what it shows: `grader run --execute`.

No score depends on it. The kernel runs in bubblewrap: no network, no files but the interpreter and the packages that
the lesson needs (no solutions among them), one folder of its own to write into, an unprivileged user, limits on
memory, processes and file sizes. It can start processes, all of which end with it. There is no filter of system calls
as there is for the functions that are graded: a kernel needs threads, sockets and more. A notebook that outlives its
time is killed with everything it has started; nothing is asked of it.
"""

from __future__ import annotations

import contextlib
import importlib.metadata
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from grader.isolation.sandbox import Isolation, bwrap_command, environment, python_command, readable_paths
from grader.messages import _
from grader.students_edition import copy_edition
from grader.worker.notebooks import load_notebook
from grader.worker.sealing import NOBODY

CELL_SECONDS = 30.0
TOTAL_SECONDS = 120.0
# To start, to stop, and to hand over the result.
_GRACE_SECONDS = 60.0
_DISTRIBUTIONS = ("ipykernel", "ipywidgets", "matplotlib", "numpy", "pytest", "rich", "torch", "typer")
_REQUIRED = ("ipykernel", "nbclient", "nbformat")

# Gives up rights, then is the kernel. `resource` limits: address space, one file, processes of this user, descriptors.
_LAUNCHER = """
import os, resource, runpy, sys
packages, uid, files_as_root = sys.argv[1], int(sys.argv[2]), sys.argv[3] == "1"
sys.path.insert(0, packages)
for limit, value in ((resource.RLIMIT_CORE, 0), (resource.RLIMIT_AS, 8 << 30), (resource.RLIMIT_FSIZE, 10**7),
                     (resource.RLIMIT_NPROC, 1024), (resource.RLIMIT_NOFILE, 512), (resource.RLIMIT_CPU, 600)):
    hard = resource.getrlimit(limit)[1]
    value = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(limit, (value, value))
from grader.worker.sealing import drop_privileges
connection = open(sys.argv[4]).read()
drop_privileges(uid, uid, files_as_root=files_as_root)
own = os.path.join(os.environ["HOME"], "kernel.json")
with open(os.open(own, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
    file.write(connection)
sys.argv = ["ipykernel_launcher", "-f", own, *sys.argv[5:]]
runpy.run_module("ipykernel_launcher", run_name="__main__", alter_sys=True)
"""


class CannotExecute(RuntimeError):
    """Notebooks cannot be executed here; the text says why and what to do."""


@dataclass(frozen=True)
class Executed:
    """A notebook that was run.

    Attributes
    ----------
    notebook
        As JSON, with outputs as far as it got; empty when there is none.
    problem
        A sentence when it was not run to its end.
    """

    notebook: str
    problem: str = ""


class Kernels:
    """Runs notebooks, each in a kernel of its own.

    Raises
    ------
    CannotExecute
        When this machine lacks what that takes.
    """

    def __init__(
        self, isolation: Isolation, *, cell_seconds: float = CELL_SECONDS, total_seconds: float = TOTAL_SECONDS
    ) -> None:
        missing = [name for name in _REQUIRED if not _is_installed(name)]
        if missing:
            raise CannotExecute(
                f"--execute needs {', '.join(missing)}: pip install 'checkpointing-course[instructor]'."
            )
        self._isolation = isolation
        self._running: set[subprocess.Popen[bytes]] = set()
        self._seconds = (cell_seconds, total_seconds)
        self._packages = Path(tempfile.mkdtemp(prefix="grader-kernel-"))
        self._packages.chmod(0o755)
        copy_edition(Path(__file__).parents[2], self._packages)
        self._readable = [*readable_paths(()), str(self._packages)]
        for path in _installed_files(_DISTRIBUTIONS):
            (self._packages / path.name).symlink_to(path)
            self._readable.append(str(path))

    def close(self) -> None:
        """End what is running and remove what was prepared."""
        for process in list(self._running):
            _kill(process)
        shutil.rmtree(self._packages, ignore_errors=True)

    def run(self, notebook: bytes) -> Executed:
        """Run a notebook from top to bottom; never raises for what it does."""
        folder = Path(tempfile.mkdtemp(prefix="grader-k-"))
        try:
            return self._run(notebook, folder)
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def _run(self, notebook: bytes, folder: Path) -> Executed:
        uid = NOBODY if os.geteuid() == 0 else os.getuid()
        if uid != os.getuid():
            # Root, before it becomes another user in there, can only pass through.
            os.chown(folder, uid, uid)
            folder.chmod(0o711)
        settings = {
            **environment(),
            "HOME": str(folder),
            "TMPDIR": str(folder),
            "IPYTHONDIR": str(folder),
            "MPLCONFIGDIR": str(folder),
            "JUPYTER_PLATFORM_DIRS": "1",
            "PYTHONWARNINGS": "ignore",
        }
        inner = [
            *python_command(),
            "-c",
            _LAUNCHER,
            str(self._packages),
            str(uid),
            "1" if self._isolation.files_as_root else "0",
            "{connection_file}",
            "--HistoryManager.enabled=False",
            "--IPKernelApp.log_level=ERROR",
        ]
        if self._isolation.level == "bwrap":
            inner = bwrap_command(
                inner,
                self._readable,
                files_as_root=self._isolation.files_as_root,
                writable=str(folder),
                setenv=settings,
            )
        cell_seconds, total_seconds = self._seconds
        job = {
            "cells": list(_cells(notebook)),
            "command": inner,
            "folder": str(folder),
            "environment": settings,
            "cell_seconds": cell_seconds,
            "total_seconds": total_seconds,
        }
        answer = self._answer(job, total_seconds + _GRACE_SECONDS)
        if answer is None:
            return Executed("", _told("lost", cell_seconds))
        return Executed(json.dumps(answer["notebook"]), _told(str(answer["problem"]), cell_seconds))

    def _answer(self, job: dict[str, object], seconds: float) -> dict[str, object] | None:
        """Let a process of its own run a job; None when it gives no answer."""
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "grader.isolation.execution"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), "JUPYTER_PLATFORM_DIRS": "1"},
        )
        self._running.add(process)
        try:
            output, _error = process.communicate(json.dumps(job).encode(), timeout=seconds)
            answer = json.loads(output)
        except (subprocess.TimeoutExpired, ValueError, OSError):
            return None
        finally:
            _kill(process)
            process.communicate()
            self._running.discard(process)
        return answer if isinstance(answer, dict) else None


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End a process and its group.

    The kernel ends with it: bubblewrap dies with its parent, and takes all processes inside along.
    """
    with contextlib.suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL)


def _told(problem: str, cell_seconds: float) -> str:
    """Return the sentence for why a notebook was not run to its end."""
    if not problem:
        return ""
    return {
        "time": _("Stopped: a cell took longer than {seconds:g} seconds, or all cells together took too long.").format(
            seconds=cell_seconds
        ),
        "ended": _("Stopped: the kernel ended, for want of memory or because a cell ended it."),
        "output": _("Stopped: the cells showed too much."),
    }.get(problem, _("This notebook could not be executed."))


def _cells(notebook: bytes) -> Iterator[tuple[str, str]]:
    """Yield kind and source of each cell; nothing else of a student's notebook is taken over."""
    for cell in load_notebook(notebook)["cells"]:
        if isinstance(cell, dict) and cell.get("cell_type") in ("code", "markdown"):
            source = cell.get("source", "")
            lines = source if isinstance(source, list) else [source]
            text = "".join(line for line in lines if isinstance(line, str))
            yield cell["cell_type"], text.encode("utf-8", "replace").decode()


def _is_installed(name: str) -> bool:
    try:
        importlib.metadata.distribution(name)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True


def _installed_files(names: Iterable[str]) -> list[Path]:
    """Return the packages, modules and metadata of distributions and of all that they need, where installed."""
    from packaging.requirements import Requirement
    from packaging.utils import canonicalize_name

    waiting, seen = list(names), set()
    found: dict[str, Path] = {}
    while waiting:
        name = canonicalize_name(waiting.pop())
        if name in seen or not _is_installed(name):
            continue
        seen.add(name)
        distribution = importlib.metadata.distribution(name)
        for requirement in map(Requirement, distribution.requires or []):
            if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
                waiting.append(requirement.name)
        for file in distribution.files or []:
            top = file.parts[0]
            if top not in ("..", "__pycache__") and not top.endswith(".pth"):
                found[top] = Path(os.path.realpath(str(distribution.locate_file(top))))
    return [path for path in found.values() if path.exists()]
