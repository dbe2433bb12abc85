"""Turn an outcome of a call into feedback: one sentence that says what happened and what to do."""

from __future__ import annotations

import builtins

from grader.messages import _
from grader.results import Feedback
from grader.student.handle import Outcome

MAX_LINES = 5


def explain(outcome: Outcome, *, public: bool) -> Feedback:
    """Return the feedback for a call that returned no value.

    Parameters
    ----------
    public
        Whether the student may see the text of an exception. With hidden inputs it could carry them out.
    """
    facts = outcome.facts
    function = str(facts.get("function", ""))
    match outcome.kind:
        case "stub":
            return Feedback(function, _("This is still the stub."), _("Your implementation."))
        case "missing":
            return Feedback(
                function,
                _("There is no function of this name."),
                _("A function {function}.").format(function=function),
            )
        case "no_prompt":
            return Feedback(
                function,
                _("There is no prompt yet."),
                _("A file {file}, or a string {name} in a module.").format(file=facts["file"], name=function),
            )
        case "conflict":
            got = _("Different definitions in {files}.").format(files=", ".join(facts["files"]))
            return Feedback(function, got, _("One definition; remove or rename the others."))
        case "broken":
            return (
                Feedback(
                    function,
                    _("{file} cannot be read as Python{line}: {type}.").format(
                        file=facts["file"], line=_line(outcome), type=facts["type"]
                    ),
                    _("A file that Python can run."),
                    hidden=facts["message"],
                )
                if not public
                else Feedback(
                    function,
                    _("{file} cannot be read as Python{line}: {type}: {message}").format(
                        file=facts["file"], line=_line(outcome), type=facts["type"], message=facts["message"]
                    ),
                    _("A file that Python can run."),
                )
            )
        case "left_out":
            return _left_out(outcome, function, public)
        case "raised":
            return _raised(outcome, function, public)
        case "memory":
            return Feedback(function, _("The code ran out of memory."), _("A result within the memory limit."))
        case "timeout":
            got = _("No answer within {seconds:g} seconds.").format(seconds=facts["seconds"])
            return Feedback(function, got, _("An answer; look for a loop that never ends."))
        case "skipped":
            got = _("Not called any more: this submission has used up its time.")
            return Feedback(function, got, _("An answer; look for loops that never end."))
        case "crashed":
            got = _("The process ended ({reason}) instead of returning.").format(reason=facts["reason"])
            return Feedback(function, got, _("A function that returns; remove calls of exit and the like."))
    return Feedback(
        function,
        _("The reply was not one that our worker sends."),
        _("A function that only computes its result."),
    )


def _raised(outcome: Outcome, function: str, public: bool) -> Feedback:
    facts = outcome.facts
    kind = facts["type"] if public or hasattr(builtins, facts["type"]) else _("an exception of its own")
    if facts["base"] == "SystemExit":
        got = _("The code called exit{where}.").format(where=_where(outcome))
        return Feedback(function, got, _("A function that returns; remove calls of exit."))
    if facts["module"]:
        got = _("It needs {module}{where}, which is not there when you are graded.")
        expected = _("An answer that needs Python and NumPy only.")
        return Feedback(function, got.format(module=facts["module"], where=_where(outcome)), expected)
    text = f"{kind}: {_beginning(facts['message'])}" if public and facts["message"] else kind
    cause = ""
    if facts["lost"]:
        cause = _("{name} is not there, as {place} could not run.").format(name=facts["name"], place=facts["lost"])
    got = _("It raised {error}{where}.").format(error=text.rstrip("."), where=_where(outcome))
    hidden = "" if public else f"{facts['type']}: {facts['message']}"
    return Feedback(function, got, _("A result."), cause, hidden=hidden)


def _left_out(outcome: Outcome, function: str, public: bool) -> Feedback:
    """Return the feedback where the statement that should bind a function could not run."""
    facts = outcome.facts
    expected = _("A function {function}.").format(function=function)
    if facts["seconds"]:
        got = _("What makes it was left out after {seconds:g} seconds{where}.")
        return Feedback(function, got.format(seconds=facts["seconds"], where=_where(outcome)), expected)
    raised = _raised(outcome, function, public)
    return Feedback(
        function,
        _("There is no such function, as what makes it could not run. {why}").format(why=raised.got),
        expected,
        raised.cause,
        hidden=raised.hidden,
    )


def _beginning(message: str) -> str:
    """Return the first lines of a message; some libraries explain at length."""
    lines = message.splitlines()
    return "\n".join([*lines[:MAX_LINES], *(["…"] if len(lines) > MAX_LINES else [])])


def _where(outcome: Outcome) -> str:
    file, line, cell = (outcome.facts.get(name) for name in ("file", "line", "cell"))
    if cell and line:
        if not file:
            return _(" in cell [{cell}], line {line}").format(cell=cell, line=line)
        return _(" in {file}, code cell {cell}, line {line}").format(file=file, cell=cell, line=line)
    return _(" in {file}, line {line}").format(file=file, line=line) if file and line else ""


def _line(outcome: Outcome) -> str:
    line, cell = outcome.facts.get("line"), outcome.facts.get("cell")
    if cell and line:
        return _(", code cell {cell}, line {line}").format(cell=cell, line=line)
    return _(", line {line}").format(line=line) if line else ""
