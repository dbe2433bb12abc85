"""A student's functions in a locked-down process; only values cross."""

from __future__ import annotations

import hashlib
import signal
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from grader.isolation.zygote import PATIENCE_SECONDS, Connection, Zygote, ZygoteError, Zygotes
from grader.student.handle import Messenger
from grader.student.outcomes import Crashed, NotCalled, Outcome, Tampered, TimedOut
from grader.worker import wire
from lesson.course import Course

CALL_SECONDS = 5.0
# All calls of a submission together; whatever comes after them is not called any more.
TOTAL_SECONDS = 60.0
# What the reference answers in the place of earlier steps: the cases are far smaller, and nobody else may keep it busy.
# Not more than matrices, as further axes multiply.
MAX_ASKED_VALUES = 20_000
MAX_ASKED_AXES = 2
MAX_ASKED_AXIS = 64


class SealedStudent(Messenger):
    """One submission in a sealed child of a zygote.

    Parameters
    ----------
    zygotes
        One is used that has imported what the submission needs.
    files, functions
        Relative path and bytes of each file; names of the graded functions.
    reference
        The graded functions that answer in the place of broken earlier ones.
    call_seconds, total_seconds
        Deadline of each call, the import of the student's file included, and of all calls together.
    patience
        Deadline of a call of the functions that are granted more.
    requires
        The package that a function needs, for those that need one that is there besides numpy.
    bystander
        Answers probes that ask nothing of the student; one of its own by default.
    package
        What the zygote has imported to begin with.
    texts
        Names of the strings that are graded like functions, and the file that may hold each of them instead.

    Attributes
    ----------
    lost
        Whether the zygote itself has gone, which is not the student's fault.
    cpu_seconds, peak_mb
        Used by all children so far, measured from outside.
    """

    def __init__(
        self,
        zygotes: Zygotes,
        files: Mapping[str, bytes],
        functions: Sequence[str],
        reference: Mapping[str, Callable[..., Any]],
        *,
        call_seconds: float = CALL_SECONDS,
        total_seconds: float = TOTAL_SECONDS,
        patience: Mapping[str, float] | None = None,
        requires: Mapping[str, str] | None = None,
        bystander: Bystander | None = None,
        package: str = "",
        texts: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(files)
        self._zygotes = zygotes
        self._zygote: Zygote | None = None
        self._package = package
        self._requires = requires or {}
        self._packages = sorted(set(self._requires.values()))
        self._unavailable: dict[str, str] = {}
        self._bystander = bystander
        self._contents = files
        self._functions = functions
        self._texts = texts or {}
        self._reference = reference
        self._call_seconds = call_seconds
        self._seconds_left = total_seconds
        self._patience = patience or {}
        self._connection: Connection | None = None
        self._replaced: Sequence[str] = ()
        self._given_up: dict[str, Outcome] = {}
        self._origins: dict[str, Any] | None = None
        self._loaded: set[str] = set()
        self.lost = False
        self.cpu_seconds = 0.0
        self.peak_mb = 0.0

    def close(self) -> None:
        """End the child."""
        if self._connection is not None:
            self._stop()

    def renew(self) -> None:
        """Go on in a child that has seen no inputs."""
        self.close()
        self.forget()

    def answered_by_reference(self, functions: Sequence[str], /) -> AbstractContextManager[None]:
        """Let the reference answer these functions inside a `with` block, in a child of its own."""
        return self._answered_by_reference(functions)

    @contextmanager
    def _answered_by_reference(self, functions: Sequence[str]) -> Iterator[None]:
        self._change_replaced(functions)
        try:
            yield
        finally:
            self._change_replaced(())

    def probe_without_student(self, name: str, /, **values: Any) -> Any:
        """Run a probe in a child that holds no code of any student's."""
        if self._bystander is None:
            self._bystander = Bystander(self._zygotes)
        try:
            return self._bystander.answer(name, values, self._package)
        except ZygoteError:
            self.lost = True
            raise

    def _change_replaced(self, functions: Sequence[str]) -> None:
        self.close()
        self.forget()
        self._replaced = functions
        self._given_up.clear()

    def _exchange(
        self, request: dict[str, Any], arrays: list[np.ndarray], function: str
    ) -> tuple[dict[str, Any], list[np.ndarray]]:
        self._load(function)
        package = self._requires.get(function, "")
        if package in self._unavailable:
            raise RuntimeError(f"{package} could not be imported: {self._unavailable[package]}")
        return self._guarded(request, arrays, function, (function,))

    def _load(self, function: str) -> None:
        """Run the file of a function before its first call, so that a file that never ends is given up once for all."""
        if self._origins is None:
            reply, arrays = self._guarded({"do": "origins"}, [], function, self._functions)
            try:
                origins = wire.unpack(reply.get("value"), arrays)
            except wire.Malformed:
                raise self._tampered(function) from None
            self._origins = origins if isinstance(origins, dict) else {}
            self._choose_zygote(self._origins)
        file = self._origins.get(function)
        if isinstance(file, str) and file not in self._loaded and function not in self._given_up:
            together = [name for name, origin in self._origins.items() if origin == file]
            self._guarded({"do": "load", "file": file}, [], function, together)
            self._loaded.add(file)

    def _choose_zygote(self, origins: Mapping[str, Any]) -> None:
        """Go on with a package imported, if an answer requires it or a file that answers imports it."""
        if not self._packages:
            return
        reply, arrays = self._guarded({"do": "imports"}, [], "", ())
        try:
            imported = wire.unpack(reply.get("value"), arrays)
        except wire.Malformed:
            raise self._tampered("") from None
        for package in self._packages:
            required = any(name in origins for name, known in self._requires.items() if known == package)
            if required or (isinstance(imported, list) and package in imported):
                self.close()
                try:
                    self._zygotes.having(package)  # outside any deadline of the student's
                except ZygoteError as error:
                    # What needs the package is then the grader's fault, and nothing else.
                    self._unavailable[package] = str(error)
                    continue
                self._package = package

    def _guarded(
        self, request: dict[str, Any], arrays: list[np.ndarray], function: str, concerned: Iterable[str]
    ) -> tuple[dict[str, Any], list[np.ndarray]]:
        """Make a request; when there is no answer, give up the functions concerned."""
        if function in self._given_up:
            raise self._given_up[function]
        if self._seconds_left <= 0:
            raise NotCalled(function)
        started = time.monotonic()
        outcome: Outcome
        try:
            return self._converse(request, arrays, self._seconds_for(function))
        except ZygoteError:
            self.lost = True
            raise
        except TimeoutError:
            self._stop()
            outcome = TimedOut(function, self._seconds_for(function))
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
        _send(connection, request, arrays, deadline)
        while True:
            reply, values = wire.receive(connection, deadline)
            if "ask" not in reply:
                return reply, values
            _send(connection, *self._answer(reply, values), deadline)

    def _start(self, deadline: float) -> Connection:
        self._zygote = self._zygotes.having(self._package)
        self._connection = connection = self._zygote.start()
        self._loaded.clear()
        try:
            wire.receive(connection, time.monotonic() + PATIENCE_SECONDS)
        except (EOFError, OSError, wire.Malformed) as error:
            raise ZygoteError(f"the worker ended before it was sealed: {error}") from None
        names = list(self._contents)
        contents = [np.frombuffer(self._contents[name], np.uint8) for name in names]
        wanted = {"files": names, "functions": list(self._functions), "texts": dict(self._texts)}
        _send(connection, wanted, contents, deadline)
        if self._replaced:
            _send(connection, {"do": "replace", "functions": list(self._replaced)}, [], deadline)
            wire.receive(connection, deadline)
        return connection

    def _answer(self, request: dict[str, Any], arrays: list[np.ndarray]) -> tuple[dict[str, Any], list[np.ndarray]]:
        """Let the reference answer a call from the worker; only functions that are replaced can be asked."""
        name = request.get("ask")
        if not isinstance(name, str) or name not in self._replaced:
            raise wire.Malformed("a question that is not open")
        packer = wire.Packer(lambda value: 0)
        if sum(array.size for array in arrays) > MAX_ASKED_VALUES or any(
            array.ndim > MAX_ASKED_AXES or max(array.shape, default=0) > MAX_ASKED_AXIS for array in arrays
        ):
            return {"raised": "ValueError"}, []
        try:
            args = wire.unpack(request.get("args"), arrays)
            kwargs = wire.unpack(request.get("kwargs"), arrays)
            with np.errstate(all="ignore"):
                value = self._reference[name](*args, **kwargs)
        except wire.Malformed:
            raise
        except Exception as error:  # noqa: BLE001 - the arguments are the student's
            return {"raised": type(error).__name__}, []
        return {"value": packer.pack(value)}, packer.arrays

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
        if self._zygote is None:
            return 0
        try:
            ended = self._zygote.stop()
        except ZygoteError:
            self.lost = True
            raise
        self.cpu_seconds += ended.cpu_seconds
        self.peak_mb = max(self.peak_mb, ended.peak_mb)
        return ended.status


class Bystander:
    """Answers to probes that ask nothing of a student, from children that hold no student's code.

    Each question is asked once, for all students.
    """

    def __init__(self, zygotes: Zygotes) -> None:
        self._zygotes = zygotes
        self._known: dict[bytes, Any] = {}

    def answer(self, name: str, values: Mapping[str, Any], package: str) -> Any:
        """Return what a probe returns.

        Parameters
        ----------
        package
            What the zygote has imported.
        """
        packer = wire.Packer(lambda value: 0)
        question = hashlib.sha256(wire.encode({"probe": name, "values": packer.pack(dict(values))}, packer.arrays))
        if question.digest() not in self._known:
            nobody = SealedStudent(self._zygotes, {}, (), {}, call_seconds=PATIENCE_SECONDS, package=package)
            try:
                self._known[question.digest()] = nobody.probe(name, **values)
            except Outcome as outcome:
                raise RuntimeError(f"the probe {name} ended as {outcome}") from None
            finally:
                nobody.close()
        return self._known[question.digest()]


class SealedStudents:
    """Seals the submissions to one course, all with the same zygotes and the same deadlines.

    Parameters
    ----------
    reference
        The graded functions that answer in the place of broken earlier ones.
    packages
        Those that exercises may require; by default the ones that are installed here.
    call_seconds
        Deadline of each call; the course grants some functions more.
    """

    def __init__(
        self,
        course: Course,
        zygotes: Zygotes,
        reference: Mapping[str, Callable[..., Any]],
        *,
        packages: Collection[str] | None = None,
        call_seconds: float = CALL_SECONDS,
    ) -> None:
        self._course = course
        self._zygotes = zygotes
        self._reference = reference
        self._requires = course.required(course.packages if packages is None else packages)
        self._call_seconds = call_seconds
        self._bystander = Bystander(zygotes)

    def student(self, files: Mapping[str, bytes], total_seconds: float = TOTAL_SECONDS) -> SealedStudent:
        """Return the student who handed in these files: relative path and bytes of each."""
        return SealedStudent(
            self._zygotes,
            files,
            self._course.functions,
            self._reference,
            call_seconds=self._call_seconds,
            total_seconds=total_seconds,
            patience=self._course.call_seconds,
            requires=self._requires,
            bystander=self._bystander,
            texts=self._course.texts,
        )


def _send(connection: Connection, message: dict[str, Any], arrays: list[np.ndarray], deadline: float) -> None:
    connection.settimeout(max(deadline - time.monotonic(), 0.001))
    wire.send(connection, message, arrays)


def _how(status: int) -> str:
    if status < 0:
        try:
            return signal.Signals(-status).name
        except ValueError:
            return f"signal {-status}"
    return f"exit code {status}"
