"""What the checks have in common: compare an answer, name the likely cause, say what went wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import numpy as np

from grader.cases.case import Case
from grader.comparing import Difference, difference
from grader.messages import _, ngettext
from grader.report import Feedback
from grader.student import Student, reported_names

# Looks at an answer and its case, and names the mistake if the numbers give it away.
Cause: TypeAlias = Callable[[Any, Case], str | None]


class Wrong(AssertionError):
    """A claim that does not hold."""

    def __init__(self, feedback: Feedback) -> None:
        super().__init__(feedback.got)
        self.feedback = feedback


@dataclass(frozen=True)
class CaseGroup:
    """The cases of one check, and whether students may see their values.

    Attributes
    ----------
    reference
        The reference's graded functions, where there is a reference, for answers that no case can foresee.
    """

    cases: Sequence[Case]
    public: bool
    reference: Mapping[str, Callable[..., Any]] = field(default_factory=dict)


# What a check function is given, and what a test runs its check functions with.
CasesOf: TypeAlias = Callable[[str], CaseGroup]
RunChecks: TypeAlias = Callable[..., None]


def agree(
    student: Student,
    group: CaseGroup,
    causes: Iterable[Cause] = (),
    part: Callable[[Any], Any] = lambda value: value,
) -> None:
    """Ask every case and compare the answers.

    Parameters
    ----------
    part
        Takes from the answer, and from the expected one, what this check is about; may raise `LookupError` or
        `TypeError` on an answer of another form, which then differs as a whole.
    """
    for case in group.cases:
        compare(case, student.answer(case), case.expected, group.public, causes, part)


def compare(
    case: Case,
    got: Any,
    expected: Any,
    public: bool,
    causes: Iterable[Cause] = (),
    part: Callable[[Any], Any] = lambda value: value,
) -> None:
    """Compare one answer; raises `Wrong` with the first cause that fits."""
    found = difference(*_parts(part, got, expected))
    if found is None:
        return
    wrong(case, public, found, _likely_cause(got, case, causes))


def wrong(case: Case, public: bool, found: Difference, cause: str = "") -> None:
    """Raise `Wrong` for a difference."""
    path = f"result{found.where}" if found.where.startswith("[") else found.where
    where = f"{path}: " if path else ""
    values = ""
    if found.got_value or found.expected_value:
        values = _("got {got}, expected {expected}").format(got=found.got_value, expected=found.expected_value)
    feedback = Feedback(called=called(case, public), got=where + found.got, expected=found.expected, cause=cause)
    if public:
        got = f"{where}{found.got_value}" if found.got_value else feedback.got
        if isinstance(case.expected, np.ndarray | list | tuple) and found.got_value:
            got = f"{feedback.got}: {found.got_value}"
        raise Wrong(replace(feedback, got=got, expected=found.expected_value or found.expected))
    hidden = called(case, True)
    raise Wrong(replace(feedback, hidden=f"{hidden}: {values}" if values else hidden))


def claim(holds: bool, case: Case, public: bool, got: str, expected: str, cause: str = "") -> None:
    """Raise `Wrong` unless something measured holds."""
    if not holds:
        raise Wrong(Feedback(called(case, public), got, expected, cause))


def called(case: Case, public: bool) -> str:
    """Write a call with the shapes of its arrays, and with its numbers where they may be seen."""
    return f"{case.function}({', '.join(_argument(name, value, public) for name, value in case.inputs.items())})"


def _argument(name: str, value: Any, public: bool) -> str:
    if isinstance(value, np.ndarray):
        return f"{name} {value.shape}"
    if isinstance(value, list | tuple):
        if value and isinstance(value[0], tuple | list):
            layers = ngettext("{name} of {count} layer", "{name} of {count} layers", len(value))
            return layers.format(name=name, count=len(value))
        arrays = ngettext("{name} of {count} array", "{name} of {count} arrays", len(value))
        return arrays.format(name=name, count=len(value))
    return f"{name}={value!r}" if public else name


def _parts(part: Callable[[Any], Any], got: Any, expected: Any) -> tuple[Any, Any]:
    try:
        return part(got), part(expected)
    except (LookupError, TypeError):
        return got, expected


def _likely_cause(got: Any, case: Case, causes: Iterable[Cause]) -> str:
    found = next(filter(None, (_try(cause, got, case) for cause in causes)), None)
    if found is None and got is None:
        return _("Nothing came back: is there a return at the end?")
    return found or ""


def _try(cause: Cause, got: Any, case: Case) -> str | None:
    """Ask for a cause; an answer of another form than it expects has none."""
    try:
        return cause(got, case)
    except (LookupError, TypeError, ValueError, AttributeError):
        return None


def same(got: Any, expected: Any) -> bool:
    """Whether an answer equals another possible one, for naming mistakes."""
    return difference(got, expected) is None


# The two checks of conduct


def keeps_dtype(student: Student, group: CaseGroup) -> None:
    """Every floating array that comes back has the dtype that went in."""
    for case in group.cases:
        due = next(value.dtype for value in case.inputs.values() if isinstance(value, np.ndarray))
        found = [array.dtype for array in arrays_in(student.answer(case))]
        other = next((dtype for dtype in found if dtype != due), None)
        claim(
            bool(found) and other is None, case, group.public,
            _("an array of dtype {dtype}").format(dtype=other) if found else _("no array"),
            _("arrays of dtype {dtype}, as in the inputs").format(dtype=due),
            _(
                "NumPy turns float32 into float64 as soon as a float64 array or NumPy scalar joins in: create "
                "arrays with dtype=x.dtype, and use math.sqrt rather than np.sqrt for numbers."
            ) if other == np.float64 else "",
        )  # fmt: skip


def leaves_inputs(student: Student, group: CaseGroup) -> None:
    """No argument is changed."""
    for case in group.cases:
        args = tuple(case.inputs.values())
        asked = student.probe("mutated", function=case.function, names=list(case.inputs), args=args)
        names = reported_names(asked, case.inputs)
        claim(
            not names, case, group.public,
            _("{names} changed by the call").format(names=", ".join(names)),
            _("every argument as it was before"),
            _("An in-place operation (+=, out=, x[...] = ...) wrote into an array that belongs to the caller."),
        )  # fmt: skip


def arrays_in(value: Any) -> list[np.ndarray]:
    """Return the arrays of a nest, in order."""
    if isinstance(value, np.ndarray):
        return [value]
    if isinstance(value, dict):
        return [array for item in value.values() for array in arrays_in(item)]
    if isinstance(value, list | tuple):
        return [array for item in value for array in arrays_in(item)]
    return []
