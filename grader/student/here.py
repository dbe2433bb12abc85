"""A student's functions in this process: their own files, or the names of their notebook."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from grader.results import State
from grader.student.handle import Messenger, Outcome
from grader.worker.loading import Functions, Loader
from grader.worker.workbench import Ask, Late, Workbench, deadline


class InProcessStudent(Messenger):
    """A student's functions in this process.

    Parameters
    ----------
    loader, ask
        The same as for `Workbench`.
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
        # Copies, as a process boundary would make: no call sees what another did to its arguments.
        copies = [array.copy() for array in arrays]
        if self._call_seconds is None:
            return self._workbench.handle(request, copies)
        try:
            with deadline(self._call_seconds):
                return self._workbench.handle(request, copies)
        except Late:
            facts = {"function": function, "seconds": self._call_seconds}
            raise Outcome(State.TIMEOUT, "timeout", facts) from None


class LocalStudent(InProcessStudent):
    """A student's files in this process: `grader check` and the browser.

    Parameters
    ----------
    files, functions
        The same as for `Loader`.
    ask, call_seconds
        The same as for `InProcessStudent`.
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
        """Return whether there is a graded function of this name that is not a stub."""
        return function in self._loader.origins()
