"""A student's functions in a locked-down process; only values cross."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import numpy as np

from grader.isolation.zygote import PATIENCE_SECONDS, Connection, ZygoteError, Zygotes
from grader.student.outcomes import Outcome
from grader.student.process import CALL_SECONDS, TOTAL_SECONDS, ProcessStudent, send
from grader.worker import wire
from lesson.course import Course

__all__ = ["CALL_SECONDS", "Bystander", "SealedStudent"]

# What the reference answers in the place of earlier steps: the cases are far smaller, and nobody else may keep it busy.
# Not more than matrices, as further axes multiply.
MAX_ASKED_VALUES = 20_000
MAX_ASKED_AXES = 2
MAX_ASKED_AXIS = 64


class SealedStudent(ProcessStudent):
    """One submission in a sealed child of a zygote.

    Parameters
    ----------
    zygotes
        One is used that has imported what the submission needs.
    reference
        The graded functions that answer in the place of broken earlier ones.
    bystander
        Answers probes that ask nothing of the student; one of its own by default.
    files, functions, call_seconds, total_seconds, patience, requires, package, texts
        The same as for `ProcessStudent`.
    """

    def __init__(
        self,
        zygotes: Zygotes,
        files: Mapping[str, bytes],
        functions: Sequence[str],
        reference: Mapping[str, Callable[..., Any]],
        call_seconds: float = CALL_SECONDS,
        total_seconds: float = TOTAL_SECONDS,
        patience: Mapping[str, float] | None = None,
        requires: Mapping[str, str] | None = None,
        bystander: Bystander | None = None,
        package: str = "",
        texts: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(zygotes, files, functions, call_seconds, total_seconds, patience, requires, package, texts)
        self._zygotes = zygotes
        self._bystander = bystander
        self._reference = reference
        self._replaced: Sequence[str] = ()

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

    def _start(self, deadline: float) -> Connection:
        connection = super()._start(deadline)
        if self._replaced:
            send(connection, {"do": "replace", "functions": list(self._replaced)}, [], deadline)
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
            nobody = SealedStudent(self._zygotes, {}, (), {}, PATIENCE_SECONDS, package=package)
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
