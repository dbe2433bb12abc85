"""A student's functions in this process: their own files, or the names of their notebook."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from grader.results import State
from grader.student.handle import Messenger, Outcome
from grader.student.left_out import read_left_out
from grader.worker.deadlines import Late, deadline
from grader.worker.loading import Functions, Loader
from grader.worker.wire import unpack
from grader.worker.workbench import Ask, Workbench

# For running a file, whose statements have limits of their own; only what swallows these meets it.
LOAD_SECONDS = 30.0


class InProcessStudent(Messenger):
    """A student's functions in this process.

    Parameters
    ----------
    loader, ask
        As for `Workbench`.
    files
        Names of the files that there are.
    call_seconds
        Deadline of each call, where the platform has timers; None to let it run.
    """

    def __init__(
        self,
        loader: Functions,
        files: Container[str] = (),
        ask: Ask | None = None,
        call_seconds: float | None = None,
    ) -> None:
        super().__init__(files)
        self._loaded: set[str] = set()
        self._functions_of = loader
        self._workbench = Workbench(loader, ask)
        self._call_seconds = call_seconds

    def close(self) -> None:
        """Forget the student's modules."""
        self._workbench.close()

    def replace(self, functions: Sequence[str]) -> None:
        """Let `ask` answer these functions."""
        self._request({"do": "replace", "functions": list(functions)}, "")

    def _exchange(
        self, request: dict[str, Any], arrays: list[np.ndarray], function: str
    ) -> tuple[dict[str, Any], list[np.ndarray]]:
        self._load(function)
        # Copies, as a process boundary would make: no call sees what another did to its arguments.
        copies = [array.copy() for array in arrays]
        return self._handle(request, copies, function, self._call_seconds)

    def _load(self, function: str) -> None:
        """Run the file of a function before its first call, whose deadline is not for that."""
        if function not in self._loaded:
            self._loaded.add(function)
            seconds = None if self._call_seconds is None else max(self._call_seconds, LOAD_SECONDS)
            reply, _arrays = self._handle({"do": "load", "function": function}, [], function, seconds)
            found = read_left_out(unpack(reply.get("value"), []), self._files)
            self._left_out.setdefault(self._loaded_with(function), []).extend(found)

    def _loaded_with(self, function: str) -> str:
        return self._functions_of.origins().get(function, function)

    def _handle(
        self, request: dict[str, Any], arrays: list[np.ndarray], function: str, seconds: float | None
    ) -> tuple[dict[str, Any], list[np.ndarray]]:
        if seconds is None:
            return self._workbench.handle(request, arrays)
        try:
            with deadline(seconds):
                return self._workbench.handle(request, arrays)
        except Late:
            raise Outcome(State.TIMEOUT, "timeout", {"function": function, "seconds": seconds}) from None


class LocalStudent(InProcessStudent):
    """A student's files in this process: `grader check` and the browser.

    Parameters
    ----------
    files, functions
        As for `Loader`.
    ask, call_seconds
        As for `InProcessStudent`.
    """

    def __init__(
        self,
        files: Mapping[str, bytes],
        functions: Iterable[str],
        ask: Ask | None = None,
        call_seconds: float | None = None,
    ) -> None:
        self._loader = Loader(files, functions)
        super().__init__(self._loader, files, ask, call_seconds)

    def defines(self, function: str) -> bool:
        """Whether there is a graded function of this name that is no stub."""
        return function in self._loader.origins()
