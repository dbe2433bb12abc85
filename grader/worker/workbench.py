"""Answer requests about one submission: call a function, run a probe, put the reference in a function's place."""

from __future__ import annotations

import contextlib
import dis
import gc
import importlib.util
import io
import os
import signal
import threading
import traceback
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from grader.worker import probes
from grader.worker.loading import Functions, Unavailable
from grader.worker.wire import Packer, Tree, unpack

MAX_PRINTED = 4_000
MAX_MESSAGE = 2_000
MAX_NAME = 100

Reply = tuple[dict[str, Any], list[np.ndarray]]
Ask = Callable[[str, tuple[Any, ...], dict[str, Any]], Any]


class Workbench:
    """One submission, ready to be asked.

    Parameters
    ----------
    loader
        Knows the submission's functions.
    ask
        Asks the trusted side what the reference answers; None where there is no reference.
    """

    def __init__(self, loader: Functions, ask: Ask | None = None) -> None:
        self._loader = loader
        self._ask = ask
        self._kept: list[object] = []

    def close(self) -> None:
        """Forget the submission."""
        self._loader.close()
        self._kept.clear()

    def handle(self, request: dict[str, Any], arrays: list[np.ndarray]) -> Reply:
        """Carry out one request; whatever the student's code does ends up in the reply."""
        printed = _Capped()
        reply: dict[str, Any]
        packer = Packer(self._keep)
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            try:
                reply = {"value": packer.pack(self._do(request, arrays))}
            except Unavailable as problem:
                reply = {"unavailable": problem.kind, "files": problem.files, "error": problem.error}
            except (KeyboardInterrupt, Late):
                raise
            except BaseException as error:  # noqa: BLE001 - SystemExit and the like are the student's too
                reply = {"raised": self.describe(error)}
        if printed.getvalue():
            reply["printed"] = printed.getvalue()
        return reply, packer.arrays

    def describe(self, error: BaseException) -> dict[str, Any]:
        """Return type, message and place of an error in the student's code."""
        place: dict[str, Any] = {}
        for frame, line in traceback.walk_tb(error.__traceback__):
            source = self._loader.source(frame.f_code.co_filename)
            if source is not None:
                place = {**source, "line": line}
        if isinstance(error, SyntaxError):
            source = self._loader.source(error.filename or "")
            if source is not None:
                place = {**source, "line": error.lineno}
        try:
            message = str(error)[:MAX_MESSAGE]
        except BaseException:  # noqa: BLE001 - the message is student code as well
            message = ""
        kind = type(error).__name__[:MAX_NAME]
        base = next((base for base in _TOLD_APART if isinstance(error, base)), None)
        if base is NotImplementedError and not self._is_of_a_stub(error):
            base = None  # a library has refused something
        return {"type": kind, "message": message, "base": base.__name__ if base else "", **place}

    def _is_of_a_stub(self, error: BaseException) -> bool:
        """Return whether a `raise` statement has raised an error, and none in a library's file."""
        last = error.__traceback__
        while last is not None and last.tb_next is not None:
            last = last.tb_next
        if last is None:
            return False
        code = last.tb_frame.f_code
        # What a cell defines has no file, and what is handed in is not a file here.
        is_theirs = self._loader.source(code.co_filename) is not None or not os.path.isfile(code.co_filename)
        return is_theirs and code.co_code[last.tb_lasti] == _RAISE

    def _do(self, request: dict[str, Any], arrays: list[np.ndarray]) -> object:
        def value(tree: Tree) -> Any:
            return unpack(tree, arrays, lambda handle, _kind: self._kept[handle])

        match request:
            case {"do": "call", "function": function, "args": args, "kwargs": kwargs}:
                return self._loader.function(function)(*value(args), **value(kwargs))
            case {"do": "probe", "probe": name, "values": values}:
                return _probe(name)(self._loader, **value(values))
            case {"do": "origins"}:
                return self._loader.origins()
            case {"do": "imports"}:
                return self._loader.imports()
            case {"do": "load", "file": file}:
                self._loader.module(file)
                return None
            case {"do": "replace", "functions": names}:
                self._loader.replace({name: self._reference(name) for name in names})
                return None
        raise ValueError("a request of unknown kind")

    def _reference(self, name: str) -> Callable[..., Any]:
        def reference(*args: Any, **kwargs: Any) -> Any:
            if self._ask is None:
                raise RuntimeError("there is no reference to ask")
            return self._ask(name, args, kwargs)

        reference.__name__ = name
        return reference

    def _keep(self, value: object) -> int:
        self._kept.append(value)
        return len(self._kept) - 1


def imported_ahead(package: str) -> str:
    """Return the module to import before anybody waits for an answer that requires a package.

    It is the package's own probes, which import it, where `grader.worker` has such a module; else the package.
    """
    probes = f"grader.worker.{package}_probes"
    return probes if importlib.util.find_spec(probes) else package


def _probe(name: str) -> Callable[..., Any]:
    """Return a probe; those of a package are named with their module, which is not imported for others."""
    module, _dot, function = name.rpartition(".")
    probe: Callable[..., Any] = getattr(
        importlib.import_module(f"grader.worker.{module}") if module else probes, function
    )
    return probe


class Late(BaseException):
    """A call in this process has passed its deadline."""


@contextlib.contextmanager
def deadline(seconds: float) -> Iterator[None]:
    """Raise `Late` in the main thread when the block takes longer, where the platform has timers."""
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def late(_number: int, _frame: object) -> None:
        raise Late

    before = signal.signal(signal.SIGALRM, late)
    # Again every second: code that swallows every exception may swallow the first.
    signal.setitimer(signal.ITIMER_REAL, seconds, 1.0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


_RAISE = dis.opmap["RAISE_VARARGS"]


@contextlib.contextmanager
def quick_collections() -> Iterator[None]:
    """Set aside what is in memory already: measuring collects garbage, and libraries hold a million objects."""
    was_frozen = gc.get_freeze_count() > 0
    gc.freeze()
    try:
        yield
    finally:
        if not was_frozen:
            gc.unfreeze()


# Base classes by which the trusted side tells states apart.
_TOLD_APART = (NotImplementedError, MemoryError, SystemExit, SyntaxError, RecursionError, ValueError)


class _Capped(io.TextIOBase):
    """Keep the first characters that are printed and drop the rest."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._room = MAX_PRINTED

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        if self._room > 0:
            self._parts.append(text[: self._room])
            self._room -= len(text)
        return len(text)

    def getvalue(self) -> str:
        return "".join(self._parts)
