"""What the page in the browser asks of Python: check a module, run it, measure it.

Runs under Pyodide as `grader check` runs on a computer: the same reading, the same checks, the same words. Answers
are JSON, so that only text crosses between the two languages.
"""

from __future__ import annotations

import ast
import contextlib
import gc
import json
import signal
import tempfile
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from grader.desk.checking import Checker
from grader.messages import _
from grader.results import CheckResult, ExerciseResult
from grader.words import Reader, feedback_rows, printable, state_name
from grader.worker.loading import Loader, Unavailable
from lesson.course import Exercise, load_course
from lesson.page_figures import FIGURES

Tell = Callable[[str], None]


def use_timer(arm: Callable[[float, float], None]) -> None:
    """Give `signal` the timer that this platform lacks, so that calls have their deadline here too."""

    def setitimer(_which: int, seconds: float, interval: float = 0.0) -> None:
        arm(seconds, interval)

    signal.setitimer = setitimer  # type: ignore[assignment]


class Desk:
    """One student's place in the browser; each topic's module is a file of its own."""

    def __init__(self) -> None:
        self._course = load_course()
        self._checker = Checker(self._course)
        self._folder = Path(tempfile.mkdtemp())

    def prepare(self, exercise_id: str) -> None:
        """Get ready for an exercise while the student reads."""
        self._checker.prepare(self._course.exercise(exercise_id))
        # Measuring memory begins with `gc.collect`, which need not look through all that stays anyway.
        gc.freeze()

    def check(self, exercise_id: str, text: str, tell: Tell) -> str:
        """Check one exercise of its topic's module; `tell` receives every check as it ends."""
        exercise = self._course.exercise(exercise_id)
        path = self._folder / f"{exercise.topic}.py"
        path.write_bytes(text.encode())
        work = self._checker.read(path)
        if work.problem:
            return json.dumps({"problem": printable(work.problem)})

        def on_check(checked: Exercise, result: CheckResult) -> None:
            if checked is exercise:
                tell(json.dumps(check_as_data(result)))

        (result,) = self._checker.check(work, [exercise], on_check)
        return json.dumps(exercise_as_data(result))


def check_as_data(result: CheckResult) -> dict[str, Any]:
    """Return what the page shows of a check."""
    return {
        "id": result.check.id,
        "state": result.state.value,
        "reason": None if result.reason is None else result.reason.value,
        "word": state_name(result.state),
        "points": result.points,
        "rows": [row[1:] for row in feedback_rows(result.feedback, Reader.STUDENT_AT_WORK)],
    }


def exercise_as_data(result: ExerciseResult) -> dict[str, Any]:
    """Return what the page shows of an exercise."""
    return {
        "id": result.exercise.id,
        "state": result.state.value,
        "word": state_name(result.state),
        "points": result.points,
        "note": result.note,
        "checks": [check_as_data(check) for check in result.checks],
    }


def run(file: str, text: str, scratch: str) -> bool:
    """Run a module and then the lines to try out in its namespace; print as Python would, also errors.

    Returns whether both ran to their end.
    """
    namespace: dict[str, Any] = {"__name__": "__main__", "__file__": file}
    try:
        exec(compile(text, file, "exec", dont_inherit=True), namespace)  # noqa: S102
        _run_scratch(scratch, namespace)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - whatever a student's code raises is shown to the student
        print(_shown(error, {file: text, _SCRATCH: scratch}), end="")
        return False
    return True


_SCRATCH = _("<try it>")


def _run_scratch(scratch: str, namespace: dict[str, Any]) -> None:
    """Run lines to try out; like a notebook cell, they show the value of a last expression."""
    tree = ast.parse(scratch, _SCRATCH)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, _SCRATCH, "exec", dont_inherit=True), namespace)  # noqa: S102
    if isinstance(last, ast.Expr):
        value = eval(compile(ast.Expression(last.value), _SCRATCH, "eval", dont_inherit=True), namespace)  # noqa: S307
        if value is not None:
            print(repr(value))


def _shown(error: BaseException, sources: dict[str, str]) -> str:
    """Return a traceback that begins in the student's own lines."""
    shown = traceback.TracebackException.from_exception(error)
    lines = {file: text.splitlines() for file, text in sources.items()}
    own = [index for index, frame in enumerate(shown.stack) if frame.filename in sources]
    del shown.stack[: own[0] if own else len(shown.stack)]
    for index, frame in enumerate(shown.stack):
        source = lines.get(frame.filename, [])
        if frame.lineno is not None and 0 < frame.lineno <= len(source):
            shown.stack[index] = traceback.FrameSummary(
                frame.filename, frame.lineno, frame.name, line=source[frame.lineno - 1]
            )
    return "".join(shown.format(chain=False))


def figure(name: str, file: str, text: str) -> str:
    """Measure a module for one of the page's figures."""
    wanted = FIGURES[name]
    try:
        with contextlib.closing(Loader({file: text.encode()}, wanted.functions)) as loader:
            return json.dumps(wanted.measure(*map(loader.function, wanted.functions)))
    except Unavailable as problem:
        return json.dumps({"problem": _UNAVAILABLE[problem.kind]})
    except Exception as error:  # noqa: BLE001 - whatever a student's code raises is shown to the student
        return json.dumps({"problem": _shown(error, {file: text})})


_UNAVAILABLE = {
    "stub": _("Write the functions of this step first, then draw again."),
    "missing": _("A function of this step is missing."),
    "broken": _("The file cannot be read as Python; check it to see where."),
    "conflict": _("A function is defined twice."),
    "left_out": _("What makes a function of this step cannot run; check it to see why."),
}
