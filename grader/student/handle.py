"""A handle on a student's functions; where they run is somebody else's business.

`student.relu(x)` calls the function `relu` and returns a plain value. Whatever goes wrong is one of the `Outcome`s
in `outcomes`, each of which is a state of the check that made the call.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any, Protocol, TypeVar

import numpy as np

from grader.cases.case import Case
from grader.student.left_out import LeftOut
from grader.student.outcomes import (
    Conflict,
    CutOff,
    Exited,
    Missing,
    NotBound,
    Outcome,
    OutOfMemory,
    Raised,
    Stub,
    StudentError,
    Tampered,
    Unreadable,
)
from grader.worker.describing import MAX_MESSAGE, MAX_NAME
from grader.worker.wire import Malformed, Packer, unpack
from grader.worker.workbench import MAX_PRINTED

T = TypeVar("T")


class Student(Protocol):
    """What a check may ask of a student."""

    printed: list[str]

    def call(self, function: str, /, *args: Any, **kwargs: Any) -> Any:
        """Call a graded function with fresh copies of the arguments and return its plain value."""
        ...

    def probe(self, name: str, /, **values: Any) -> Any:
        """Run one of `grader.worker.probes` beside the student's code."""
        ...

    def probe_without_student(self, name: str, /, **values: Any) -> Any:
        """Run a probe that asks nothing of the student, where no code of the student's can change what it returns.

        In the student's own process, where nothing is hidden, it runs beside that code.
        """
        ...

    def answer(self, case: Case, /) -> Any:
        """Call the function of a case with its inputs, once however often it is asked."""
        ...

    def once(self, key: object, ask: Callable[[], T], /) -> T:
        """Return what `ask` returned or raised when this key was first used."""
        ...

    def forget(self) -> None:
        """Forget what was answered, so that everything is asked again."""
        ...

    def answered_by_reference(self, functions: Sequence[str], /) -> AbstractContextManager[None] | None:
        """Let the reference answer these functions inside a `with` block; None where there is no reference."""
        ...

    def renew(self) -> None:
        """Go on with code that has seen no inputs, where they are hidden."""
        ...

    def left_out(self, functions: Sequence[str], /) -> list[LeftOut]:
        """Return what could not run of the files of some functions, as far as these have been asked for."""
        ...


class Messenger:
    """Turn calls into requests and replies into values or outcomes."""

    def __init__(self, files: Container[str]) -> None:
        self.printed: list[str] = []
        self._files = files
        self._remembered: dict[object, Any] = {}
        self._left_out: dict[str, list[LeftOut]] = {}

    def _exchange(
        self, request: dict[str, Any], arrays: list[np.ndarray], function: str
    ) -> tuple[dict[str, Any], list[np.ndarray]]:
        raise NotImplementedError

    def call(self, function: str, /, *args: Any, **kwargs: Any) -> Any:
        """Call a graded function."""
        return self._request({"do": "call", "function": function}, function, args=args, kwargs=kwargs)

    def probe(self, name: str, /, **values: Any) -> Any:
        """Run a probe."""
        return self._request({"do": "probe", "probe": name}, str(values.get("function", name)), values=values)

    def probe_without_student(self, name: str, /, **values: Any) -> Any:
        """Run a probe beside the student's code."""
        return self.probe(name, **values)

    def answer(self, case: Case, /) -> Any:
        """Call the function of a case."""
        return self.once(id(case), lambda: self.call(case.function, *case.inputs.values()))

    def once(self, key: object, ask: Callable[[], T], /) -> T:
        """Ask only when this key has not been used."""
        if key not in self._remembered:
            try:
                self._remembered[key] = ask()
            except Outcome as outcome:
                self._remembered[key] = outcome
        remembered = self._remembered[key]
        if isinstance(remembered, Outcome):
            raise remembered
        return remembered  # type: ignore[no-any-return]

    def forget(self) -> None:
        """Forget what was answered, so that everything is asked again."""
        self._remembered.clear()

    def answered_by_reference(self, functions: Sequence[str], /) -> AbstractContextManager[None] | None:
        """Return None: there is no reference."""
        return None

    def renew(self) -> None:
        """Go on as before: nothing is hidden from who runs this."""

    def left_out(self, functions: Sequence[str]) -> list[LeftOut]:
        """Return what could not run of the files of some functions, as far as these have been asked for."""
        keys = dict.fromkeys(map(self._loaded_with, functions))
        return [each for key in keys for each in self._left_out.get(key, ())]

    def _loaded_with(self, function: str) -> str:
        """Return the file that is run for a function; the function's name where that is not known."""
        raise NotImplementedError

    def _request(self, request: dict[str, Any], function: str, **values: Any) -> Any:
        packer = Packer(_refuse_to_keep)
        request.update({name: packer.pack(value) for name, value in values.items()})
        reply, arrays = self._exchange(request, packer.arrays, function)
        try:
            return self._value(reply, arrays, function)
        except Malformed:
            raise self._tampered(function) from None

    def _value(self, reply: dict[str, Any], arrays: list[np.ndarray], function: str) -> Any:
        """Return the value of a reply or raise the outcome; a reply that is not ours is `Malformed`."""
        printed = reply.get("printed")
        if isinstance(printed, str):
            self.printed.append(printed[:MAX_PRINTED])
        match reply:
            case {"value": tree}:
                return unpack(tree, arrays)
            case {"unavailable": "stub"}:
                raise Stub(function)
            case {"unavailable": "missing"}:
                raise Missing(function)
            case {"unavailable": "conflict", "files": list(files)}:
                raise Conflict(function, tuple(self._own_files(files)))
            case {"unavailable": "broken", "files": [file], "error": dict(error)}:
                problem = replace(self._error(error), file=self._own_files([file])[0])
                if problem.type not in _SOURCE_ERRORS:
                    raise Malformed("an error that source code does not have")
                raise Unreadable(function, problem)
            case {"unavailable": "left_out", "files": [file], "error": dict(error)}:
                raise _outcome_of_statement(function, replace(self._error(error), file=self._own_files([file])[0]))
            case {"raised": dict(error)}:
                raise _outcome_of(function, self._error(error))
        raise Malformed("a reply of unknown kind")

    def _tampered(self, function: str) -> Tampered:
        """Return what a reply that is not ours amounts to."""
        return Tampered(function)

    def _own_files(self, files: Sequence[object]) -> list[str]:
        """Return names of files of the submission; made-up names could tell what must stay hidden."""
        if not files or not all(isinstance(file, str) and file in self._files for file in files):
            raise Malformed("a file that was not handed in")
        return [str(file) for file in files]

    def _error(self, error: Mapping[str, object]) -> StudentError:
        """Take from a reply what the sentence needs, with the types the sentence needs."""
        line, file, cell = error.get("line"), error.get("file"), error.get("cell")
        module, name, seconds = error.get("module"), error.get("name"), error.get("seconds")
        lost = (each for entries in self._left_out.values() for each in entries if name in each.names)
        return StudentError(
            type=str(error.get("type", ""))[:MAX_NAME],
            message=str(error.get("message", ""))[:MAX_MESSAGE],
            base=str(error.get("base", ""))[:MAX_NAME],
            file=file if isinstance(file, str) and file in self._files else "",
            line=line if type(line) is int else None,
            cell=cell if type(cell) is int else None,
            module=next(filter(self._is_imported, _and_its_package(module)), ""),
            seconds=seconds if isinstance(seconds, float) else 0.0,
            # Why a name is not there: where it would have been bound.
            name=name[:MAX_NAME] if isinstance(name, str) else "",
            lost=next((each.place for each in lost), ""),
        )

    def _is_imported(self, module: str) -> bool:
        """Return whether a module's name may be told."""
        return True


def _outcome_of_statement(function: str, error: StudentError) -> Outcome:
    """Return what it amounts to that the statement which should define a function could not run."""
    if error.seconds:
        return CutOff(function, error)
    return Stub(function) if error.base == "NotImplementedError" else NotBound(function, error)


def _outcome_of(function: str, error: StudentError) -> Outcome:
    """Return what an exception in a student's code amounts to."""
    match error.base:
        case "NotImplementedError":
            return Stub(function)
        case "MemoryError":
            return OutOfMemory(function)
        case "SystemExit":
            return Exited(function, error)
    return Raised(function, error)


_SOURCE_ERRORS = frozenset(
    {"SyntaxError", "IndentationError", "TabError", "ValueError", "RecursionError", "MemoryError"}
)


def _and_its_package(module: object) -> list[str]:
    return [module, module.partition(".")[0]] if isinstance(module, str) else []


def _refuse_to_keep(value: object) -> int:
    if isinstance(value, np.ndarray | list | tuple | dict | str | int):
        # Plain, but beyond a limit of the wire: a value that came from the student's process and is handed back.
        raise tampered()
    raise TypeError(f"a check handed over a {type(value).__name__}, which is not a plain value")


def tampered() -> Tampered:
    """Return the outcome of a process whose replies are not those of our probes."""
    return Tampered("")


def reported_number(value: Any) -> float:
    """Return a number that a probe reported.

    Raises
    ------
    Outcome
        When it is not a number: the process in which the probe ran has been tampered with.
    """
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    raise tampered()


def reported_count(value: Any) -> int:
    """Return a whole number that a probe reported; raises as `reported_number` does."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise tampered()


def reported_names(value: Any, known: Collection[str]) -> list[str]:
    """Return a list of names, out of the known ones, that a probe reported; raises as `reported_number` does."""
    if isinstance(value, list) and all(isinstance(item, str) and item in known for item in value):
        return value
    raise tampered()


def reported_flag(value: Any) -> bool:
    """Return a bool that a probe reported; raises as `reported_number` does."""
    if isinstance(value, bool):
        return value
    raise tampered()


def reported_list(value: Any) -> list[Any]:
    """Return a list, of whatever, that a probe reported; raises as `reported_number` does."""
    if isinstance(value, list):
        return value
    raise tampered()


def reported_fields(value: Any, names: Collection[str]) -> dict[str, Any]:
    """Return a dict with these keys that a probe reported; raises as `reported_number` does."""
    if isinstance(value, dict) and value.keys() >= set(names):
        return value
    raise tampered()
