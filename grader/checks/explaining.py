"""Turn the outcome of a call into feedback: one sentence that says what happened and what to do."""

from __future__ import annotations

import builtins
from dataclasses import replace
from typing import assert_never, cast

from grader.messages import _
from grader.results import Feedback
from grader.student.outcomes import (
    AnyOutcome,
    Conflict,
    Crashed,
    CutOff,
    Exited,
    Missing,
    NotBound,
    NotCalled,
    NoText,
    Outcome,
    OutOfMemory,
    Raised,
    Stub,
    StudentError,
    Tampered,
    TimedOut,
    Unreadable,
)

MAX_LINES = 5


def explain(outcome: Outcome, *, public: bool) -> Feedback:
    """Return the feedback for a call that returned no value.

    Parameters
    ----------
    public
        Whether the student may see the text of an exception. With hidden inputs it could carry them out.
    """
    function = outcome.function
    match cast("AnyOutcome", outcome):
        case Stub():
            return Feedback(function, _("This is still the stub."), _("Your implementation."))
        case Missing():
            return Feedback(
                function,
                _("There is no function of this name."),
                _("A function {function}.").format(function=function),
            )
        case NoText(file=file):
            expected = _("A file {file}, or a string {name} in a module.").format(file=file, name=function)
            return Feedback(function, _("There is no prompt yet."), expected)
        case Conflict(files=files):
            got = _("Different definitions in {files}.").format(files=", ".join(files))
            return Feedback(function, got, _("One definition; remove or rename the others."))
        case Unreadable(error=error):
            return _unreadable(function, error, public)
        case NotBound(error=error):
            raised = _raised(function, error, public)
            got = _("There is no such function, as what makes it could not run. {why}").format(why=raised.got)
            return replace(raised, got=got, expected=_("A function {function}.").format(function=function))
        case CutOff(error=error):
            got = _("What makes it was left out after {seconds:g} seconds{where}.")
            expected = _("A function {function}.").format(function=function)
            return Feedback(function, got.format(seconds=error.seconds, where=_where(error)), expected)
        case Raised(error=error):
            return _raised(function, error, public)
        case Exited(error=error):
            return _raised(function, error, public)
        case OutOfMemory():
            return Feedback(function, _("The code ran out of memory."), _("A result within the memory limit."))
        case TimedOut(seconds=seconds):
            got = _("No answer within {seconds:g} seconds.").format(seconds=seconds)
            return Feedback(function, got, _("An answer; look for a loop that never ends."))
        case NotCalled():
            got = _("Not called any more: this submission has used up its time.")
            return Feedback(function, got, _("An answer; look for loops that never end."))
        case Crashed(how=how):
            got = _("The process ended ({reason}) instead of returning.").format(reason=how)
            return Feedback(function, got, _("A function that returns; remove calls of exit and the like."))
        case Tampered():
            got = _("The reply was not one that our worker sends.")
            return Feedback(function, got, _("A function that only computes its result."))
        case unknown:
            assert_never(unknown)


def _unreadable(function: str, error: StudentError, public: bool) -> Feedback:
    expected = _("A file that Python can run.")
    if public:
        got = _("{file} cannot be read as Python{line}: {type}: {message}").format(
            file=error.file, line=_line(error), type=error.type, message=error.message
        )
        return Feedback(function, got, expected)
    got = _("{file} cannot be read as Python{line}: {type}.").format(
        file=error.file, line=_line(error), type=error.type
    )
    return Feedback(function, got, expected, hidden=error.message)


def _raised(function: str, error: StudentError, public: bool) -> Feedback:
    if error.base == "SystemExit":
        got = _("The code called exit{where}.").format(where=_where(error))
        return Feedback(function, got, _("A function that returns; remove calls of exit."))
    if error.module:
        got = _("It needs {module}{where}, which is not there when you are graded.")
        expected = _("An answer that needs Python and NumPy only.")
        return Feedback(function, got.format(module=error.module, where=_where(error)), expected)
    kind = error.type if public or hasattr(builtins, error.type) else _("an exception of its own")
    text = f"{kind}: {_beginning(error.message)}" if public and error.message else kind
    cause = ""
    if error.lost:
        cause = _("{name} is not there, as {place} could not run.").format(name=error.name, place=error.lost)
    got = _("It raised {error}{where}.").format(error=text.rstrip("."), where=_where(error))
    hidden = "" if public else f"{error.type}: {error.message}"
    return Feedback(function, got, _("A result."), cause, hidden=hidden)


def _beginning(message: str) -> str:
    """Return the first lines of a message; some libraries explain at length."""
    lines = message.splitlines()
    return "\n".join([*lines[:MAX_LINES], *(["…"] if len(lines) > MAX_LINES else [])])


def _where(error: StudentError) -> str:
    if error.cell and error.line:
        if not error.file:
            return _(" in cell [{cell}], line {line}").format(cell=error.cell, line=error.line)
        return _(" in {file}, code cell {cell}, line {line}").format(file=error.file, cell=error.cell, line=error.line)
    return _(" in {file}, line {line}").format(file=error.file, line=error.line) if error.file and error.line else ""


def _line(error: StudentError) -> str:
    if error.cell and error.line:
        return _(", code cell {cell}, line {line}").format(cell=error.cell, line=error.line)
    return _(", line {line}").format(line=error.line) if error.line else ""
