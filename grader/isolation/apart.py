"""Processes for a student's own code on the student's own machine: not locked down, but their end is noticed."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time

from grader.isolation.sandbox import ONE_THREAD
from grader.isolation.zygote import PATIENCE_WITH_PACKAGES_SECONDS as PATIENCE_SECONDS
from grader.isolation.zygote import Connection, Ended, ZygoteError
from grader.worker import wire
from grader.worker.workbench import imported_ahead

_BOOTSTRAP = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[2]); "
    "from grader.worker.serve import serve_apart; serve_apart()"
)


class ApartProcess:
    """Starts processes that import what this one can, and serve one submission each.

    Parameters
    ----------
    package
        What they import before anything else; empty for numpy alone.
    """

    def __init__(self, package: str = "") -> None:
        self._ahead = [imported_ahead(package)] if package else []
        self._running: subprocess.Popen[bytes] | None = None
        self._warm: Connection | None = None

    def warm_up(self) -> None:
        """Start the next process now, and wait until it has imported what it should."""
        connection = self.start()
        connection.settimeout(PATIENCE_SECONDS)
        try:
            beginning = connection.recv(4096, socket.MSG_PEEK)
            if not beginning or b'"failed"' in beginning:
                first, _arrays = wire.receive(connection)
                raise ZygoteError(str(first["failed"]))
        except (EOFError, OSError, wire.Malformed, ZygoteError) as error:
            connection.close()
            self.stop()
            raise ZygoteError(str(error) or "it ends") from None
        self._warm = connection

    def start(self) -> Connection:
        """Start a process, unless one is waiting, and return the connection to it."""
        if self._warm is not None:
            connection, self._warm = self._warm, None
            return connection
        ours, theirs = socket.socketpair()
        with theirs:
            # Not the folder that the command was called in: a file there must not stand for a library.
            path = json.dumps([entry for entry in sys.path if entry])
            try:
                self._running = subprocess.Popen(  # noqa: S603 - the command is our own
                    [sys.executable, "-P", "-c", _BOOTSTRAP, str(theirs.fileno()), path, *self._ahead],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    env={**os.environ, **ONE_THREAD},
                    pass_fds=[theirs.fileno()],
                )
            except OSError as error:
                ours.close()
                raise ZygoteError(f"no process could be started: {error}") from None
        return ours

    def stop(self) -> Ended:
        """End the process that was started last, if it has not ended by itself."""
        if self._running is None:
            return Ended(0, 0.0, 0.0)
        # One that has closed its end of the connection is about to end by itself.
        for _moment in range(20):
            if self._running.poll() is not None:
                break
            time.sleep(0.005)
        self._running.kill()
        status = self._running.wait()
        self._running = None
        return Ended(status, 0.0, 0.0)


class ApartProcesses:
    """Where such processes come from."""

    def having(self, package: str = "") -> ApartProcess:
        """Return what starts processes that import a package first; raises `ZygoteError` where that is impossible."""
        process = ApartProcess(package)
        if package:
            process.warm_up()
        return process
