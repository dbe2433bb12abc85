"""What the checks have in common: compare an answer, name the likely cause, say what went wrong."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import numpy as np

from grader.cases.case import Case
from grader.checks.comparing import Difference, difference, is_number, largest_magnitude
from grader.messages import _, ngettext
from grader.results import Feedback
from grader.student.handle import Student, reported_names
from grader.student.outcomes import Outcome

# Looks at an answer and its case, and names the mistake if the numbers give it away; several if they leave it open.
Cause: TypeAlias = Callable[[Any, Case], str | list[str] | None]
# What a mistake makes of a case.
Rule: TypeAlias = Callable[[Case], float]


# Characters of an argument that are shown.
MAX_ARGUMENT = 200


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
        The reference's graded functions and `best_overhead`, where there is a reference, for answers that no case can
        foresee.
    """

    cases: Sequence[Case]
    public: bool
    reference: Mapping[str, Callable[..., Any]] = field(default_factory=dict)


# What a check is given besides a student: the cases of its exercise, by the name of a check.
CasesOf: TypeAlias = Callable[[str], CaseGroup]


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
    differing: list[tuple[Case, Any, Difference]] = []
    for case in group.cases:
        try:
            got = student.answer(case)
        except Outcome:
            if differing:
                break
            raise
        found = difference(*_parts(part, got, case.expected), scale=scale_of(case))
        if found:
            differing.append((case, got, found))
    if differing:
        case, _got, found = differing[0]
        wrong(case, group.public, found, _likely_cause([(got, case) for case, got, _found in differing], causes))


def compare(
    case: Case,
    got: Any,
    expected: Any,
    public: bool,
    causes: Iterable[Cause] = (),
    part: Callable[[Any], Any] = lambda value: value,
    tolerance: float | None = None,
) -> None:
    """Compare one answer; raises `Wrong` with the first cause that fits. The tolerance is that of `difference`."""
    found = difference(*_parts(part, got, expected), tolerance, scale_of(case))
    if found is None:
        return
    wrong(case, public, found, _likely_cause([(got, case)], causes))


def scale_of(case: Case) -> float:
    """Return the largest number in the arrays of a question and its answer, to which rounding is relative."""
    return largest_magnitude(case.inputs, case.expected)


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
    if isinstance(value, list | tuple) and arrays_in(value):
        if isinstance(value[0], tuple | list):
            layers = ngettext("{name} of {count} layer", "{name} of {count} layers", len(value))
            return layers.format(name=name, count=len(value))
        arrays = ngettext("{name} of {count} array", "{name} of {count} arrays", len(value))
        return arrays.format(name=name, count=len(value))
    return f"{name}={_shortened(repr(value))}" if public else name


def _shortened(text: str) -> str:
    return text if len(text) <= MAX_ARGUMENT else f"{text[:MAX_ARGUMENT]}…"


def _parts(part: Callable[[Any], Any], got: Any, expected: Any) -> tuple[Any, Any]:
    try:
        return part(got), part(expected)
    except (LookupError, TypeError):
        return got, expected


def _likely_cause(differing: Sequence[tuple[Any, Case]], causes: Iterable[Cause]) -> str:
    """Return the first cause that fits every answer that differs."""
    for cause in causes:
        fitting = [_try(cause, got, case) for got, case in differing]
        common = [sentence for sentence in fitting[0] if all(sentence in others for others in fitting)]
        if common:
            return common[0]
    if differing[0][0] is None:
        return _("Nothing came back: is there a return at the end?")
    return ""


def _try(cause: Cause, got: Any, case: Case) -> list[str]:
    """Ask for causes; an answer of another form than they expect has none."""
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            found = cause(got, case)
    except Exception:  # noqa: BLE001 - a guess at the cause must never cost the verdict
        return []
    return found if isinstance(found, list) else [found] if found else []


def same(got: Any, expected: Any) -> bool:
    """Return whether an answer equals another possible one, for naming mistakes."""
    return difference(got, expected) is None


def follows(ask: Callable[[Case], Any], group: CaseGroup, rules: Iterable[tuple[Rule, str]]) -> Cause:
    """Return a cause for answers that are numbers: the first rule that all answers to a group follow.

    One wrong number may come about in several ways; a whole group of them hardly does.

    Parameters
    ----------
    ask
        Returns the answer to a case.
    """

    def cause(got: Any, case: Case) -> str | None:
        del got, case
        return next((sentence for rule, sentence in rules if _followed(ask, group, rule)), None)

    return cause


def _followed(ask: Callable[[Case], Any], group: CaseGroup, rule: Rule) -> bool:
    try:
        return all(
            is_number(got := ask(case)) and math.isclose(float(got), rule(case), rel_tol=1e-6) for case in group.cases
        )
    except (Outcome, ArithmeticError):
        return False


# The two checks of conduct


def keeps_dtype(student: Student, group: CaseGroup) -> None:
    """Every floating array that comes back has the dtype that went in."""
    for case in group.cases:
        of_dtype_of_inputs(case, group.public, student.answer(case))


def of_dtype_of_inputs(case: Case, public: bool, answer: Any) -> None:
    """Raise `Wrong` unless every array of an answer has the dtype of the case's arrays."""
    due = next(value.dtype for value in case.inputs.values() if isinstance(value, np.ndarray))
    found = [array.dtype for array in arrays_in(answer)]
    other = next((dtype for dtype in found if dtype != due), None)
    claim(
        bool(found) and other is None,
        case,
        public,
        _("an array of dtype {dtype}").format(dtype=other) if found else _("no array"),
        _("arrays of dtype {dtype}, as in the inputs").format(dtype=due),
        _(
            "NumPy turns float32 into float64 as soon as a float64 array or NumPy scalar joins in: create "
            "arrays with dtype=x.dtype, and use math.sqrt rather than np.sqrt for numbers."
        )
        if other == np.float64
        else "",
    )


def leaves_inputs(student: Student, group: CaseGroup) -> None:
    """No argument is changed."""
    for case in group.cases:
        args = tuple(case.inputs.values())
        changed = student.probe("mutated", function=case.function, names=list(case.inputs), args=args)
        nothing_changed(case, group.public, reported_names(changed, case.inputs))


def nothing_changed(case: Case, public: bool, changed: Sequence[str]) -> None:
    """Raise `Wrong` for arguments that a call has changed."""
    claim(
        not changed,
        case,
        public,
        _("{names} changed by the call").format(names=", ".join(changed)),
        _("every argument as it was before"),
        _("An in-place operation (+=, out=, x[...] = ...) wrote into an array that belongs to the caller."),
    )


def arrays_in(value: Any) -> list[np.ndarray]:
    """Return the arrays of a nest, in order."""
    if isinstance(value, np.ndarray):
        return [value]
    if isinstance(value, dict):
        return [array for item in value.values() for array in arrays_in(item)]
    if isinstance(value, list | tuple):
        return [array for item in value for array in arrays_in(item)]
    return []
