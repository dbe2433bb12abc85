"""What a notebook offers a student: `check("step3")` says what is right and why not, `hint("step3")` helps a little.

Nothing here raises for what a student has done or has not done yet, writes to the standard streams, or knows an
answer: the checks are those of `grader check`, on the recorded public cases.
"""

from __future__ import annotations

import functools
import html
import io
import sys
from collections.abc import Iterable, Iterator, MutableMapping, Sequence
from dataclasses import replace
from typing import Any

from grader.cases.recorded import RecordedCases
from grader.desk.checking import CALL_SECONDS, import_ahead
from grader.formats.terminal import print_exercise
from grader.grading import CheckSession, skipped
from grader.messages import _, ngettext
from grader.results import CheckResult, ExerciseResult, Reason, State
from grader.student.here import InProcessStudent
from grader.words import SYMBOLS, Reader, exercise_score, feedback_rows, printable, score, state_name
from grader.worker.namespace import NamespaceLoader
from grader.worker.workbench import quick_collections
from lesson.course import Course, Exercise, load_course

__all__ = ["Checked", "Hints", "Points", "Sentence", "check", "hint"]

# In this kernel: how each exercise was when it was last checked, and how many of its hints have been shown.
_last: dict[str, ExerciseResult] = {}
_shown: dict[str, int] = {}

_COLUMNS = 96
_RIGHT, _WRONG, _OPEN = "#2e8b57", "#d1495b", "#808080"


class Points(int):
    """Points as a number, shown as the whole result where that can be shown.

    A notebook's last expression is what an autograder reads: it sees a plain number.
    """

    shown: str

    def __new__(cls, points: int, shown: str) -> Points:
        """Make a number that is shown as some HTML."""
        number = super().__new__(cls, points)
        number.shown = shown
        return number

    def _repr_html_(self) -> str:
        return self.shown


_SAYS_NOTHING = (State.NOT_ATTEMPTED, State.SKIPPED)


class Sentence:
    """Something to read instead of a result."""

    def __init__(self, text: str) -> None:
        self.text = text

    @property
    def points(self) -> Points:
        """No points."""
        return Points(0, self._repr_html_())

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return f'<div style="{_box(_OPEN)}">{_escaped(self.text)}</div>'


class Checked:
    """What a check of one exercise has found.

    Attributes
    ----------
    result
        The verdict, check by check.
    topic
        The last known verdicts on all exercises of the topic, where there are any.
    """

    def __init__(self, result: ExerciseResult, topic: Sequence[tuple[Exercise, ExerciseResult | None]]) -> None:
        self.result = result
        self.topic = topic

    @property
    def points(self) -> Points:
        """The points earned; 0 if the grader itself has failed, which the text says."""
        return Points(self.result.points or 0, self._repr_html_())

    @property
    def passed(self) -> bool:
        """Return whether everything is right."""
        return self.result.state is State.PASSED

    def __repr__(self) -> str:
        from rich.console import Console

        file = io.StringIO()
        console = Console(file=file, width=_COLUMNS, color_system=None, force_terminal=False, legacy_windows=False)
        print_exercise(console, _brief(self.result))
        lines = [line.rstrip() for line in file.getvalue().splitlines()]
        return "\n".join([*lines, *([todo] if (todo := _todo(self.result)) else []), self._progress()])

    def _repr_html_(self) -> str:
        state = self.result.state
        exercise = self.result.exercise
        colour = _RIGHT if self.passed else _OPEN if state in _SAYS_NOTHING else _WRONG
        head = (
            f"<strong>{SYMBOLS[state]} {_escaped(exercise.id)}</strong> {_escaped(_(exercise.title))}"
            f" · {_escaped(state_name(state))} · <strong>{_escaped(exercise_score(self.result))}</strong>"
        )
        parts = [f"<div>{head}</div>"]
        todo = _todo(self.result)
        if todo:
            parts.append(f"<div>{_escaped(todo)}</div>")
        if self.result.note:
            parts.append(f"<div>{_escaped(self.result.note)}</div>")
        if any(check.state not in _SAYS_NOTHING for check in self.result.checks):
            parts += _checks_html(_brief(self.result).checks)
        if any(check.feedback is not None and check.feedback.read for check in self.result.checks):
            link = f'<a href="#{html.escape(exercise.id, quote=True)}">{_escaped(_(exercise.title))}</a>'
            parts.append(f"<div>{_escaped(_('read'))}: {link}</div>")
        parts.append(f'<div style="margin-top:.5em; opacity:.8">{_escaped(self._progress())}</div>')
        return f'<div style="{_box(colour)}">{"".join(parts)}</div>'

    def _progress(self) -> str:
        known = [result for _exercise, result in self.topic if result is not None]
        points = score(
            sum(result.points or 0 for result in known), sum(exercise.points for exercise, _result in self.topic)
        )
        steps = "  ".join(
            f"{exercise.id} {SYMBOLS[State.NOT_ATTEMPTED if result is None else result.state]}"
            for exercise, result in self.topic
        )
        return _("This topic so far: {points} points.  {steps}").format(points=points, steps=steps)


class Hints:
    """The hints of an exercise that have been asked for."""

    def __init__(self, exercise: Exercise, count: int) -> None:
        self._texts = [_(text) for text in exercise.hints[:count]]
        left = len(exercise.hints) - count
        self._left = (
            ngettext("{count} more: run this cell again.", "{count} more: run this cell again.", left)
            if left
            else _("That was the last one.")
        ).format(count=left)

    def __repr__(self) -> str:
        return "\n".join([*(f"{number}. {text}" for number, text in enumerate(self._texts, 1)), self._left])

    def _repr_html_(self) -> str:
        texts = "".join(f"<li>{_escaped(text)}</li>" for text in self._texts)
        return f'<div style="{_box(_OPEN)}"><ol style="margin:0">{texts}</ol>{_escaped(self._left)}</div>'


def check(step: str | int = "", namespace: MutableMapping[str, Any] | None = None) -> Checked | Sentence:
    """Check the functions of a step as they are defined in this notebook right now.

    Parameters
    ----------
    step
        Such as "step3" or 3.
    namespace
        Where the functions are; by default the notebook's names, or those of the module that calls.
    """
    course = load_course()
    exercise = _exercise(course, step)
    if exercise is None:
        return Sentence(_unknown(course, "check"))
    if namespace is None:
        shell = _shell()
        namespace = sys._getframe(1).f_globals if shell is None else shell.user_ns
    loader = NamespaceLoader(namespace, course.functions, course.texts, _cell_of)
    student = InProcessStudent(loader, (), CALL_SECONDS)
    if any(name in namespace for name in exercise.functions):
        problem = import_ahead(exercise)
        if problem:
            return Checked(skipped(exercise, problem), [])
    with quick_collections():
        (result,) = _checks(course).grade(student, [exercise])
    _last[exercise.id] = result
    return Checked(result, [(other, _last.get(other.id)) for other in course.of_topic(exercise.topic)])


def hint(step: str | int = "") -> Hints | Sentence:
    """Show one more hint for a step at each call."""
    course = load_course()
    exercise = _exercise(course, step)
    if exercise is None:
        return Sentence(_unknown(course, "hint"))
    _shown[exercise.id] = min(_shown.get(exercise.id, 0) + 1, len(exercise.hints))
    return Hints(exercise, _shown[exercise.id])


@functools.cache
def _checks(course: Course) -> CheckSession:
    """Return the checks, which take half a second to collect and milliseconds to use."""
    return CheckSession(course, RecordedCases())


def _shell() -> Any:
    """Return the kernel's shell, if there is one."""
    ipython = sys.modules.get("IPython")
    return None if ipython is None else ipython.get_ipython()


def _cell_of(filename: str) -> int | None:
    """Return the number in the brackets of the cell whose code has this file name."""
    shell = _shell()
    names = getattr(getattr(shell, "compile", None), "_filename_map", {})
    number = names.get(filename)
    return number if isinstance(number, int) else None


def _exercise(course: Course, step: object) -> Exercise | None:
    name = str(step).strip().lower().replace(" ", "")
    try:
        return course.exercise(f"step{name}" if name.isdecimal() else name)
    except KeyError:
        return None


def _unknown(course: Course, function: str) -> str:
    steps = ", ".join(exercise.id for exercise in course.exercises)
    example = f'{function}("{course.exercises[0].id}")'
    return _("Say which step, for example {example}. There are: {steps}.").format(example=example, steps=steps)


def _todo(result: ExerciseResult) -> str:
    """Return what to do first: run cells that define functions, or write functions."""
    missing = _not_attempted(result, Reason.MISSING)
    if missing:
        return ngettext(
            "{functions} is not defined in this notebook yet. Run the cell above that defines it, then this one again.",
            "{functions} are not defined in this notebook yet. Run the cells above that define them, then this one "
            "again.",
            len(missing),
        ).format(functions=_listed(missing))
    if any(check.reason is Reason.NO_TEXT for check in result.checks):
        return _(
            "Still to be written: your text. Write it into the string {name} in the cell above and run that cell, or "
            "into the file outputs/{file}; then run this one again. Stuck? Try {hint}."
        ).format(name=result.exercise.text, file=result.exercise.text_file, hint=f'hint("{result.exercise.id}")')
    stubs = _not_attempted(result, Reason.STUB)
    if stubs:
        return _(
            "Still to be written: {functions}. Put your code in the place of `raise NotImplementedError` in the cells "
            "above, run them, then this one again. Stuck? Try {hint}."
        ).format(functions=_listed(stubs), hint=f'hint("{result.exercise.id}")')
    return ""


def _not_attempted(result: ExerciseResult, reason: Reason) -> list[str]:
    """Return the functions of an exercise that were not attempted for this reason."""
    called = {check.feedback.called for check in result.checks if check.reason is reason and check.feedback is not None}
    return [name for name in result.exercise.functions if name in called]


def _brief(result: ExerciseResult) -> ExerciseResult:
    """Leave out what checks say that have not been attempted: it is said once, for all of them."""
    checks = (replace(check, feedback=None) if check.state is State.NOT_ATTEMPTED else check for check in result.checks)
    return replace(result, checks=tuple(checks))


def _listed(names: Iterable[str]) -> str:
    *first, last = names
    return _("{names} and {last}").format(names=", ".join(first), last=last) if first else last


def _checks_html(checks: Iterable[CheckResult]) -> Iterator[str]:
    told: set[tuple[tuple[str, str], ...]] = set()
    for check in checks:
        colour = _RIGHT if check.state is State.PASSED else _OPEN if check.state is State.NOT_ATTEMPTED else _WRONG
        mark = f'<span style="color:{colour}; font-weight:bold">{SYMBOLS[check.state]}</span>'
        line = f"{mark} {_escaped(_(check.check.title))}"
        rows = _rows(check)
        # What is true of several checks is said once, whichever function was called.
        key = tuple(rows[1:])
        if rows and key in told:
            line += f" · {_escaped(_('as above'))}"
            rows = ()
        elif check.state is not State.PASSED:
            line += f" · {_escaped(state_name(check.state))}"
            told.add(key)
        yield f"<div>{line}</div>"
        if rows:
            cells = "".join(
                f'<div style="opacity:.7">{_escaped(label)}</div>'
                f'<div style="white-space:pre-wrap; overflow-wrap:anywhere">{_escaped(text)}</div>'
                for label, text in rows
            )
            yield f'<div style="{_GRID}">{cells}</div>'


def _rows(check: CheckResult) -> tuple[tuple[str, str], ...]:
    """Return labels and texts of a check's feedback; where to read stands below all of them."""
    if check.state is State.PASSED:
        return ()
    rows = feedback_rows(check.feedback, Reader.STUDENT_AT_WORK)
    return tuple((row.label, row.text) for row in rows if row.field != "read")


_GRID = "display:grid; grid-template-columns:max-content minmax(0, 1fr); gap:0 .8em; margin:.1em 0 .4em 1.2em"


def _box(colour: str) -> str:
    return f"border-left:4px solid {colour}; padding:.2em .8em; margin:.2em 0; line-height:1.45"


def _escaped(text: str) -> str:
    return html.escape(printable(text))
