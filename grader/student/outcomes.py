"""What a call comes to when it returns no value: a class for each outcome, and the state of the check that called."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from grader.results import Reason, State


@dataclass(frozen=True, kw_only=True)
class StudentError:
    """An exception in a student's code.

    Attributes
    ----------
    type, message
        As it calls itself.
    base
        The built-in class that it is told apart by, such as "ValueError"; empty for others.
    file, line, cell
        Where in the submission it was raised; empty or None where that is not known.
    module
        The module that is not there and was asked for something; empty when that is not the reason.
    seconds
        The limit that a statement passed; 0 when that is not the reason.
    name, lost
        A name that is not there, and the place of the statement that would have bound it; empty when unknown.
    """

    type: str
    message: str
    base: str = ""
    file: str = ""
    line: int | None = None
    cell: int | None = None
    module: str = ""
    seconds: float = 0.0
    name: str = ""
    lost: str = ""


@dataclass(eq=False)
class Outcome(Exception):
    """A call that returned no value.

    Attributes
    ----------
    function
        What was called.
    state
        Of the check that made the call.
    reason
        Of that state.
    """

    function: str
    state: ClassVar[State]
    reason: ClassVar[Reason]

    def __post_init__(self) -> None:
        super().__init__(self.function)


@dataclass(eq=False)
class Stub(Outcome):
    """The function still is the stub."""

    state = State.NOT_ATTEMPTED
    reason = Reason.STUB


@dataclass(eq=False)
class Missing(Outcome):
    """There is no function of this name."""

    state = State.NOT_ATTEMPTED
    reason = Reason.MISSING


@dataclass(eq=False)
class NoText(Outcome):
    """There is neither the file nor the string that holds a text; `function` is the name of the string."""

    file: str
    state = State.NOT_ATTEMPTED
    reason = Reason.NO_TEXT


@dataclass(eq=False)
class Conflict(Outcome):
    """Several files define the function, each in another way."""

    files: tuple[str, ...]
    state = State.UNGRADABLE
    reason = Reason.CONFLICT


@dataclass(eq=False)
class Unreadable(Outcome):
    """The file of the function is not valid Python."""

    error: StudentError
    state = State.ERROR
    reason = Reason.UNREADABLE


@dataclass(eq=False)
class NotBound(Outcome):
    """The statement that should define the function could not run."""

    error: StudentError
    state = State.ERROR
    reason = Reason.LEFT_OUT


@dataclass(eq=False)
class CutOff(Outcome):
    """The statement that should define the function was cut off at its time limit, `error.seconds`."""

    error: StudentError
    state = State.TIMEOUT
    reason = Reason.CUT_OFF


@dataclass(eq=False)
class Raised(Outcome):
    """The student's code raised an exception."""

    error: StudentError
    state = State.ERROR
    reason = Reason.RAISED


@dataclass(eq=False)
class Exited(Outcome):
    """The student's code asked for the end of the program."""

    error: StudentError
    state = State.ERROR
    reason = Reason.EXITED


@dataclass(eq=False)
class OutOfMemory(Outcome):
    """The student's code asked for more memory than there is."""

    state = State.MEMORY
    reason = Reason.MEMORY


@dataclass(eq=False)
class TimedOut(Outcome):
    """There was no answer within the time limit, in seconds."""

    seconds: float
    state = State.TIMEOUT
    reason = Reason.TIMEOUT


@dataclass(eq=False)
class NotCalled(Outcome):
    """The submission had used up its time before."""

    state = State.TIMEOUT
    reason = Reason.TIME_USED_UP


@dataclass(eq=False)
class Crashed(Outcome):
    """The process ended; `how` names the signal or the exit code."""

    how: str
    state = State.CRASHED
    reason = Reason.CRASHED


@dataclass(eq=False)
class Tampered(Outcome):
    """The reply was not one that our own code sends."""

    state = State.CRASHED
    reason = Reason.TAMPERED


# Every outcome is one of these, so that who tells them apart can prove that none is forgotten.
AnyOutcome: TypeAlias = (
    Stub
    | Missing
    | NoText
    | Conflict
    | Unreadable
    | NotBound
    | CutOff
    | Raised
    | Exited
    | OutOfMemory
    | TimedOut
    | NotCalled
    | Crashed
    | Tampered
)
