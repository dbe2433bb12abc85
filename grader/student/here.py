"""A student's functions in this process: their own files, or the names of their notebook."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import numpy as np

from grader.student.handle import Messenger
from grader.student.left_out import read_left_out
from grader.student.outcomes import TimedOut
from grader.worker.deadlines import Late, deadline
from grader.worker.loading import Functions, Loader
from grader.worker.wire import unpack
from grader.worker.workbench import Workbench

# For running a file, whose statements have limits of their own; only what swallows these meets it.
LOAD_SECONDS = 30.0


class InProcessStudent(Messenger):
    """A student's functions in this process.

    Parameters
    ----------
    loader
        Knows the functions.
    files
        Names of the files that there are.
    call_seconds
        Deadline of each call, where the platform has timers; None to let it run.
    """

    def __init__(self, loader: Functions, files: Container[str] = (), call_seconds: float | None = None) -> None:
        super().__init__(files)
        self._loaded: set[str] = set()
        self._functions_of = loader
        self._workbench = Workbench(loader)
        self._call_seconds = call_seconds

    def close(self) -> None:
        """Forget the student's modules."""
        self._workbench.close()

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
            raise TimedOut(function, seconds) from None


class LocalStudent(InProcessStudent):
    """A student's files in this process: `grader check`, the browser, and authors.

    Parameters
    ----------
    files, functions, texts
        The same as for `Loader`.
    reference
        The graded functions that can answer in the place of the student's, where there is a reference.
    call_seconds
        The same as for `InProcessStudent`.
    """

    def __init__(
        self,
        files: Mapping[str, bytes],
        functions: Iterable[str],
        reference: Mapping[str, Callable[..., Any]] | None = None,
        call_seconds: float | None = None,
        texts: Mapping[str, str] | None = None,
    ) -> None:
        self._contents = files
        self._functions = tuple(functions)
        self._texts = texts
        self._reference = reference
        self._loader = Loader(files, self._functions, texts)
        super().__init__(self._loader, files, call_seconds)

    def defines(self, function: str) -> bool:
        """Return whether there is a graded function of this name that is not a stub."""
        return function in self._loader.origins()

    def answered_by_reference(self, functions: Sequence[str], /) -> AbstractContextManager[None] | None:
        """Let the reference answer these functions inside a `with` block; None where there is no reference."""
        return None if self._reference is None else self._answered_by(self._reference, functions)

    @contextmanager
    def _answered_by(self, reference: Mapping[str, Callable[..., Any]], functions: Sequence[str]) -> Iterator[None]:
        self._load_again(lambda name, args, kwargs: reference[name](*args, **kwargs))
        self._request({"do": "replace", "functions": list(functions)}, "")
        try:
            yield
        finally:
            self._load_again(None)

    def _load_again(self, ask: Callable[[str, tuple[Any, ...], dict[str, Any]], Any] | None) -> None:
        """Go on with modules that nothing has been replaced in."""
        self.close()
        self.forget()
        self._loader = self._functions_of = Loader(self._contents, self._functions, self._texts)
        self._workbench = Workbench(self._loader, ask)
        self._loaded.clear()
