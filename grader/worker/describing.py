"""Say of an error in a student's code what it was and where, as plain data."""

from __future__ import annotations

import dis
import os
import traceback
from collections.abc import Callable
from typing import Any

from grader.worker.absent import AbsentModuleError

MAX_MESSAGE = 2_000
MAX_NAME = 100

# Base classes by which the trusted side tells states apart.
_TOLD_APART = (NotImplementedError, MemoryError, SystemExit, SyntaxError, RecursionError, ValueError)
_RAISE = dis.opmap["RAISE_VARARGS"]

# Returns the file, and the number of the cell in a notebook, that some code is from; None when it is not the student's.
Source = Callable[[str], dict[str, Any] | None]


def describe(error: BaseException, source: Source) -> dict[str, Any]:
    """Return type, message and place of an error in the student's code.

    Returns
    -------
    dict
        `type`, `message`, `base` (of those that are told apart), `file`, `cell` and `line` where they are known, and
        `module` where one was asked for something that is not there.
    """
    place: dict[str, Any] = {}
    for frame, line in traceback.walk_tb(error.__traceback__):
        found = source(frame.f_code.co_filename)
        if found is not None:
            place = {**found, "line": line}
    if isinstance(error, SyntaxError):
        found = source(error.filename or "")
        if found is not None:
            place = {**found, "line": error.lineno}
    try:
        message = str(error)[:MAX_MESSAGE]
    except BaseException:  # noqa: BLE001 - the message is student code as well
        message = ""
    kind = type(error).__name__[:MAX_NAME]
    base = next((base for base in _TOLD_APART if isinstance(error, base)), None)
    if base is NotImplementedError and not _is_of_a_stub(error, source):
        base = None  # a library has refused something
    told: dict[str, Any] = {"type": kind, "message": message, "base": base.__name__ if base else "", **place}
    if isinstance(error, AbsentModuleError):
        told["module"] = str(error.name)[:MAX_NAME]
        told["quiet"] = error.is_quiet
    elif type(error) is NameError and isinstance(error.name, str):
        told["name"] = error.name[:MAX_NAME]
    return told


def _is_of_a_stub(error: BaseException, source: Source) -> bool:
    """Whether a `raise` statement has raised an error, and none in a library's file."""
    last = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    if last is None:
        return False
    code = last.tb_frame.f_code
    # What a cell defines has no file, and what is handed in is no file here.
    is_theirs = source(code.co_filename) is not None or not os.path.isfile(code.co_filename)
    return is_theirs and code.co_code[last.tb_lasti] == _RAISE
