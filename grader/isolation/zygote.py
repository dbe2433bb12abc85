"""Start the process that forks one sealed child for each submission, and talk to it."""

from __future__ import annotations

import importlib.util
import json
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from grader.isolation.sandbox import (
    Isolation,
    environment,
    link_packages,
    package_paths,
    python_command,
    readable_paths,
)
from grader.worker.importing import LESSON_MODULES
from grader.worker.sealing import Limits
from grader.worker.serve import START, STOP
from grader.worker.workbench import IMPORTED_AHEAD

# What is said to a sealed process, and what it answers.
Connection: TypeAlias = socket.socket

WORKER_PACKAGE = Path(__file__).parents[1] / "worker"
# What students are given to import, and is no more than arithmetic.
LESSON_FILES = ("__init__.py", *(f"{name}.py" for name in LESSON_MODULES))
LESSON_PACKAGE = Path(__file__).parents[2] / "lesson"
# Without a submission, neither starting nor answering takes this long unless something is broken.
PATIENCE_SECONDS = 60

# What importing a package takes besides numpy, as far as it is installed; a CUDA build keeps libraries beside itself.
_COMPANIONS = {"torch": ("torch", "torchgen", "typing_extensions", "sympy", "mpmath", "functorch", "nvidia", "triton")}
# PyTorch seeds its generators from there.
_DEVICES = {"torch": ("/dev/urandom",)}
# A cold disk takes long to read some packages.
PATIENCE_WITH_PACKAGES_SECONDS = 300

_BOOTSTRAP = "import sys; sys.path.insert(0, sys.argv.pop(1)); from grader.worker.serve import main; main()"


class ZygoteError(RuntimeError):
    """The process that should run student code could not be started or has gone."""


@dataclass(frozen=True)
class Ended:
    """How a child ended and what it used, as seen from outside.

    Attributes
    ----------
    status
        Exit code; negative for the number of the signal that ended it.
    cpu_seconds, peak_mb
        Processor time, and most memory in use in 10^6 bytes.
    """

    status: int
    cpu_seconds: float
    peak_mb: float


class Zygote:
    """A parent process with numpy imported; each call of `start` gives a fresh sealed child.

    It sees nothing of the grader but a copy of `grader.worker`, and of the lesson what students may import.

    Parameters
    ----------
    package
        "torch" to have that imported too; empty for numpy alone.
    """

    def __init__(self, isolation: Isolation, package: str = "") -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="grader-worker-"))
        self._folder.chmod(0o755)
        ours = self._folder / "grader"
        shutil.copytree(WORKER_PACKAGE, ours / "worker", ignore=shutil.ignore_patterns("__pycache__"))
        (ours / "__init__.py").write_text("")
        (self._folder / "lesson").mkdir()
        for name in LESSON_FILES:
            shutil.copy(LESSON_PACKAGE / name, self._folder / "lesson" / name)
        companions = [name for name in _COMPANIONS.get(package, ()) if importlib.util.find_spec(name)]
        packages = ("numpy", *companions)
        link_packages(self._folder, packages)
        readable = [*readable_paths(packages), str(self._folder), *_DEVICES.get(package, ())]
        # A library takes about as much address space as it is long.
        limits = Limits(memory=Limits.memory + _size_of_libraries(companions))
        near, theirs = socket.socketpair()
        inner = [*python_command(), "-c", _BOOTSTRAP, str(self._folder)]
        inner += [str(theirs.fileno()), json.dumps(isolation.plan(readable, limits=limits).to_dict())]
        inner += [IMPORTED_AHEAD.get(package, package)] if package else []
        self._process = subprocess.Popen(  # noqa: S603 - the command is ours
            isolation.command(inner, readable),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            pass_fds=[theirs.fileno()],
            env=environment(),
            start_new_session=True,
        )
        theirs.close()
        self._control = near
        self._control.settimeout(PATIENCE_WITH_PACKAGES_SECONDS if package else PATIENCE_SECONDS)
        try:
            self._expect(b"ready")
        except ZygoteError:
            self.close()
            raise
        self._control.settimeout(PATIENCE_SECONDS)

    def start(self) -> Connection:
        """Fork a child and return the connection to it."""
        ours, theirs = socket.socketpair()
        try:
            with theirs:
                socket.send_fds(self._control, [START], [theirs.fileno()])
                self._expect(b"started")
        except (OSError, ZygoteError) as error:
            ours.close()
            raise ZygoteError(f"no child could be started: {error}") from None
        return ours

    def stop(self) -> Ended:
        """End the child that was started last, if it has not ended by itself."""
        try:
            self._control.sendall(STOP)
        except OSError as error:
            raise ZygoteError(f"the worker has gone: {error}") from None
        fields = json.loads(self._line())
        return Ended(fields["status"], fields["cpu_seconds"], fields["peak_kib"] * 1024 / 1e6)

    def close(self) -> None:
        """End the process and whatever it has started."""
        self._control.close()
        try:
            self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stderr:
            self._process.stderr.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _expect(self, word: bytes) -> None:
        line = self._line()
        if line != word:
            raise ZygoteError(f"the worker said {line!r} instead of {word!r}")

    def _line(self) -> bytes:
        data = b""
        while not data.endswith(b"\n"):
            try:
                chunk = self._control.recv(4096)
            except OSError as error:
                raise ZygoteError(f"the worker does not answer: {error}") from None
            if not chunk:
                raise ZygoteError(f"the worker could not be started: {self._last_words()}")
            data += chunk
        return data[:-1]

    def _last_words(self) -> str:
        self._process.kill()
        stderr = self._process.communicate()[1]
        lines = stderr.decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else f"it ended with status {self._process.returncode}"


class Zygotes:
    """The zygotes of one process, each started when it is first needed."""

    def __init__(self, isolation: Isolation) -> None:
        self._isolation = isolation
        self._started: dict[str, Zygote] = {}
        self._failed: dict[str, str] = {}

    def having(self, package: str = "") -> Zygote:
        """Return the zygote that has imported a package; raises `ZygoteError`, and does not try twice."""
        if package in self._failed:
            raise ZygoteError(self._failed[package])
        if package not in self._started:
            try:
                self._started[package] = Zygote(self._isolation, package)
            except ZygoteError as error:
                self._failed[package] = str(error)
                raise
        return self._started[package]

    def close(self) -> None:
        """End all of them; whoever is asked for next is started anew."""
        for zygote in self._started.values():
            zygote.close()
        self._started.clear()
        self._failed.clear()


def _size_of_libraries(packages: Sequence[str]) -> int:
    """Return the bytes of the shared libraries of some packages."""
    folders = (Path(path) for path in package_paths(packages))
    return sum(file.stat().st_size for folder in folders for file in folder.rglob("*.so*"))
