"""A student's functions in another process; only values cross."""

from __future__ import annotations

import contextlib
import re
import signal
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

import numpy as np

from grader.isolation.zygote import PATIENCE_SECONDS, Connection, Ended, ZygoteError
from grader.student.handle import Messenger
from grader.student.here import LOAD_SECONDS
from grader.student.left_out import LeftOut, read_left_out
from grader.student.outcomes import Crashed, NotCalled, Outcome, Tampered, TimedOut
from grader.worker import wire

CALL_SECONDS = 5.0
# All calls of a submission together; whatever comes after them is not called any more.
TOTAL_SECONDS = 60.0


class Process(Protocol):
    """What can start processes that hold one submission each."""

    def start(self) -> Connection:
        """Start one and return the connection to it."""
        ...

    def stop(self) -> Ended:
        """End the one that was started last."""
        ...


class Processes(Protocol):
    """Where processes come from."""

    def having(self, package: str = "") -> Process:
        """Return what starts processes that have imported a package; raises `ZygoteError`."""
        ...


class ProcessStudent(Messenger):
    """One submission in a process of its own.

    Parameters
    ----------
    processes
        Where that process comes from.
    files, functions
        Relative path and bytes of each file; names of the graded functions.
    call_seconds, total_seconds
        Deadline of each call, and of all calls together. Running a file has a deadline of its own.
    patience
        Deadline of a call of the functions that are granted more.
    requires
        The package that a function needs, for those that need one that is there besides numpy.
    package
        What the process has imported to begin with.
    texts
        Names of the strings that are graded like functions, and the file that may hold each of them instead.

    Attributes
    ----------
    lost
        Whether processes cannot be started any more, which is not the student's fault.
    cpu_seconds, peak_mb
        Used by all processes so far, measured from outside.
    """

    def __init__(
        self,
        processes: Processes,
        files: Mapping[str, bytes],
        functions: Sequence[str],
        call_seconds: float = CALL_SECONDS,
        total_seconds: float = TOTAL_SECONDS,
        patience: Mapping[str, float] | None = None,
        requires: Mapping[str, str] | None = None,
        package: str = "",
        texts: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(files)
        self._processes = processes
        self._process: Process | None = None
        self._package = package
        self._requires = requires or {}
        self._unavailable: dict[str, str] = {}
        self._contents = files
        self._functions = functions
        self._texts = texts or {}
        self._call_seconds = call_seconds
        self._seconds_left = total_seconds
        self._patience = patience or {}
        self._connection: Connection | None = None
        self._given_up: dict[str, Outcome] = {}
        self._origins: dict[str, Any] | None = None
        self._loaded: set[str] = set()
        self.lost = False
        self.cpu_seconds = 0.0
        self.peak_mb = 0.0

    def close(self) -> None:
        """End the process."""
        if self._connection is not None:
            self._stop()

    def _exchange(
        self, request: dict[str, Any], arrays: list[np.ndarray], function: str
    ) -> tuple[dict[str, Any], list[np.ndarray]]:
        self._begin(function)
        self._load(function)
        package = self._requires.get(function, "")
        if package in self._unavailable:
            raise RuntimeError(f"{package} could not be imported: {self._unavailable[package]}")
        return self._guarded(request, arrays, function, (function,))

    def _begin(self, function: str) -> None:
        """Find out where the functions are, and run all files before any input is there: what they say may be told."""
        if self._origins is not None:
            return
        origins = self._ask("origins", function, self._functions)
        self._origins = {str(name): origin for name, origin in origins.items()} if isinstance(origins, dict) else {}
        self._choose_package(self._origins)
        first = {origin: name for name, origin in sorted(self._origins.items(), reverse=True)}
        for origin, name in first.items():
            with contextlib.suppress(Outcome):  # which is told of the functions concerned
                self._left_out[origin] = self._load(name)

    def _ask(self, what: str, function: str, concerned: Iterable[str]) -> Any:
        reply, arrays = self._guarded({"do": what}, [], function, concerned)
        try:
            return wire.unpack(reply.get("value"), arrays)
        except wire.Malformed:
            raise self._tampered(function) from None

    def _choose_package(self, origins: Mapping[str, Any]) -> None:
        """Go on with a package imported, if an answer requires it or a file that answers imports it."""
        packages = sorted(set(self._requires.values()))
        imported = self._ask("imports", "", ()) if packages else []
        for package in packages:
            required = any(name in origins for name, known in self._requires.items() if known == package)
            if required or (isinstance(imported, list) and package in imported):
                self.close()
                try:
                    # Outside any deadline of the student's.
                    self._process = self._processes.having(package)
                except ZygoteError as error:
                    # What needs the package is then the grader's fault, and nothing else.
                    self._unavailable[package] = str(error)
                    continue
                self._package = package

    def _load(self, function: str) -> list[LeftOut]:
        """Run the file of a function before its first call, so that a file that never ends is given up once for all.

        Returns
        -------
        list of LeftOut
            What could not run. Where inputs have been there it may not be told.
        """
        key = self._loaded_with(function)
        if key in self._loaded or function in self._given_up:
            return []
        origins = self._origins or {}
        together = [name for name, origin in origins.items() if origin == key] or [function]
        reply, arrays = self._guarded({"do": "load", "function": function}, [], function, together, LOAD_SECONDS)
        self._loaded.add(key)
        try:
            return read_left_out(wire.unpack(reply.get("value"), arrays), self._files)
        except wire.Malformed:
            raise self._tampered(function) from None

    def _loaded_with(self, function: str) -> str:
        origin = (self._origins or {}).get(function)
        return origin if isinstance(origin, str) else function

    def _is_imported(self, module: str) -> bool:
        """Return whether a file of the submission imports a module: no other name may be told."""
        if not re.fullmatch(r"[\w.]+", module):
            return False
        # Bounded, as the files are the student's too.
        statement = re.compile(rb"\b(?:import|from)\b[^\n]{0,80}?(?<![\w.])" + re.escape(module.encode()) + rb"(?!\w)")
        return any(statement.search(data) for data in self._contents.values())

    def _guarded(
        self,
        request: dict[str, Any],
        arrays: list[np.ndarray],
        function: str,
        concerned: Iterable[str],
        seconds: float | None = None,
    ) -> tuple[dict[str, Any], list[np.ndarray]]:
        """Make a request; when there is no answer, give up the functions concerned."""
        if function in self._given_up:
            raise self._given_up[function]
        if self._seconds_left <= 0:
            raise NotCalled(function)
        limit = self._seconds_for(function) if seconds is None else seconds
        started = time.monotonic()
        outcome: Outcome
        try:
            return self._converse(request, arrays, limit)
        except ZygoteError:
            self.lost = True
            raise
        except TimeoutError:
            self._stop()
            outcome = TimedOut(function, limit)
        except (EOFError, ConnectionError):
            outcome = self._crashed(function)
        except wire.Malformed:
            self._stop()
            outcome = Tampered(function)
        finally:
            self._seconds_left -= time.monotonic() - started
        for name in concerned:
            self._given_up[name] = replace(outcome, function=name)
        raise outcome

    def _seconds_for(self, function: str) -> float:
        return max(self._call_seconds, self._patience.get(function, 0))

    def _converse(
        self, request: dict[str, Any], arrays: list[np.ndarray], seconds: float
    ) -> tuple[dict[str, Any], list[np.ndarray]]:
        deadline = time.monotonic() + min(seconds, self._seconds_left)
        connection = self._connection or self._start(deadline)
        send(connection, request, arrays, deadline)
        while True:
            reply, values = wire.receive(connection, deadline)
            if "ask" not in reply:
                return reply, values
            send(connection, *self._answer(reply, values), deadline)

    def _start(self, deadline: float) -> Connection:
        if self._process is None:
            self._process = self._processes.having(self._package)
        self._connection = connection = self._process.start()
        self._loaded.clear()
        try:
            first, _arrays = wire.receive(connection, time.monotonic() + PATIENCE_SECONDS)
        except (EOFError, OSError, wire.Malformed) as error:
            raise ZygoteError(f"the worker ended before it was ready: {error}") from None
        if "failed" in first:
            raise ZygoteError(str(first["failed"]))
        names = list(self._contents)
        contents = [np.frombuffer(self._contents[name], np.uint8) for name in names]
        too_slow = [
            (each.file, each.cell, each.line) for known in self._left_out.values() for each in known if each.seconds
        ]
        message = {
            "files": names,
            "functions": list(self._functions),
            "texts": dict(self._texts),
            "too_slow": too_slow,
        }
        send(connection, message, contents, deadline)
        return connection

    def _answer(self, request: dict[str, Any], arrays: list[np.ndarray]) -> tuple[dict[str, Any], list[np.ndarray]]:
        """Answer a question of the worker's, of which there is none."""
        raise wire.Malformed("a question that is not open")

    def _tampered(self, function: str) -> Tampered:
        self.close()
        self._given_up[function] = outcome = super()._tampered(function)
        return outcome

    def _crashed(self, function: str) -> Outcome:
        status = self._stop()
        if status == -signal.SIGXCPU:
            return TimedOut(function, self._seconds_for(function))
        return Crashed(function, _how(status))

    def _stop(self) -> int:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        if self._process is None:
            return 0
        process, self._process = self._process, None
        try:
            ended = process.stop()
        except ZygoteError:
            self.lost = True
            raise
        self.cpu_seconds += ended.cpu_seconds
        self.peak_mb = max(self.peak_mb, ended.peak_mb)
        return ended.status


def send(connection: Connection, message: dict[str, Any], arrays: list[np.ndarray], deadline: float) -> None:
    """Write one frame before a deadline, on the clock of `time.monotonic`."""
    connection.settimeout(max(deadline - time.monotonic(), 0.001))
    wire.send(connection, message, arrays)


def _how(status: int) -> str:
    if status < 0:
        try:
            return signal.Signals(-status).name
        except ValueError:
            return f"signal {-status}"
    return f"exit code {status}"
