"""Answer requests about one submission: call a function, run a probe, put the reference in a function's place."""

from __future__ import annotations

import contextlib
import gc
import importlib.util
import io
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from grader.worker import probes
from grader.worker.absent import failure_of
from grader.worker.deadlines import Late
from grader.worker.describing import describe
from grader.worker.loading import Functions, Unavailable
from grader.worker.wire import Packer, Tree, unpack

MAX_PRINTED = 4_000

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
        self._settings = _Settings()

    def close(self) -> None:
        """Forget the submission."""
        self._loader.close()
        self._kept.clear()

    def handle(self, request: dict[str, Any], arrays: list[np.ndarray]) -> Reply:
        """Carry out one request; whatever the student's code does ends up in the reply."""
        printed = _Capped()
        reply: dict[str, Any]
        packer = Packer(self._keep)
        with self._settings.in_force(), contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            try:
                reply = {"value": packer.pack(self._do(request, arrays))}
            except Unavailable as problem:
                reply = {"unavailable": problem.kind, "files": problem.files, "error": problem.error}
            except (KeyboardInterrupt, Late):
                raise
            except BaseException as error:  # noqa: BLE001 - SystemExit and the like are the student's too
                reply = {"raised": describe(error, self._loader.source)}
        if printed.getvalue():
            reply["printed"] = printed.getvalue()
        return reply, packer.arrays

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
            case {"do": "load", "function": function}:
                self._loader.load(function)
                return self._loader.left_out()
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
        failure = failure_of(value)
        if failure is not None:
            raise failure
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


class _Settings:
    """What a student's code sets for its whole process: in force while that code runs, and not for the grader's."""

    def __init__(self) -> None:
        self._theirs: tuple[Any, list[Any]] | None = None

    @contextlib.contextmanager
    def in_force(self) -> Iterator[None]:
        """Let what the student's code has set so far hold inside the block, and what it sets there not outside."""
        before = (np.geterr(), list(warnings.filters))
        with np.errstate(), warnings.catch_warnings():
            if self._theirs is not None:
                errors, filters = self._theirs
                np.seterr(**errors)
                warnings.filters[:] = filters  # type: ignore[index]
                # Changes nothing, but has `warnings` notice.
                warnings.filterwarnings("default", append=True)
            yield
            after = (np.geterr(), list(warnings.filters))
            if after != before:
                self._theirs = after


class _Capped(io.TextIOBase):
    """Keep the first characters that are printed and drop the rest."""

    encoding = "utf-8"
    errors = "replace"

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._room = MAX_PRINTED
        self.buffer = _Bytes(self)

    def reconfigure(self, **_settings: object) -> None:
        """Stay as it is: this is no file that could be written in another way."""

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        if self._room > 0:
            self._parts.append(text[: self._room])
            self._room -= len(text)
        return len(text)

    def getvalue(self) -> str:
        return "".join(self._parts)


class _Bytes(io.BufferedIOBase):
    """What is printed as bytes."""

    def __init__(self, text: _Capped) -> None:
        self._text = text

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        plain = bytes(data[: 4 * MAX_PRINTED])
        self._text.write(plain.decode("utf-8", "replace"))
        return len(data)
