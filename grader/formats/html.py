"""HTML reports: a page for the class, for the instructor, and a page for each student.

The pages need no JavaScript and load nothing. Every value passes through `printable` and is escaped by the templates'
environment itself, so that no template can forget it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean, median
from typing import TYPE_CHECKING, Any

from grader.formats.student_view import open_check, open_score, override_text
from grader.formats.writing import FormatUnavailable, safe_name, write_atomically
from grader.messages import _, ngettext
from grader.results import CheckResult, ExerciseResult, RunResults, State, SubmissionResult
from grader.words import SYMBOLS, Reader, feedback_rows, printable, score, state_name

if TYPE_CHECKING:
    from jinja2 import Environment

_TEMPLATES = Path(__file__).with_name("templates")
_BINS = 10
# Ids, names and remarks are cut at these lengths, so that none fills a page.
_NAME, _REMARK = 100, 500


def write_report(run: RunResults, folder: Path) -> Path:
    """Write `index.html` for the instructor and `students/*.html`, one page at a time.

    Returns
    -------
    Path
        The class page.

    Raises
    ------
    FormatUnavailable
        When Jinja2 is missing.
    """
    environment = _environment()
    students = folder / "students"
    students.mkdir(parents=True, exist_ok=True)
    page = environment.get_template("student.html.j2")
    summary = _Class()
    for result in run.submissions:
        name = summary.page_name(result.id)
        html = page.render(t=_student_texts(), course=run.course_title, student=_student(result))
        write_atomically(students / name, html)
        summary.add(result, f"students/{name}")
    index = folder / "index.html"
    write_atomically(index, environment.get_template("class.html.j2").render(t=_class_texts(), **summary.values(run)))
    return index


def _environment() -> Environment:
    try:
        from jinja2 import Environment, FileSystemLoader, StrictUndefined
    except ImportError:
        raise FormatUnavailable(
            _("HTML reports need Jinja2; install it with {command}.").format(
                command="pip install 'checkpointing-course[instructor]'"
            )
        ) from None
    return Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_clean,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _clean(value: Any) -> Any:
    """Return what an expression of a template gives, fit to be shown; what a macro has built is so already."""
    return printable(value) if isinstance(value, str) and not hasattr(value, "__html__") else value


def _short(text: str, length: int = _NAME) -> str:
    return text if len(text) <= length else f"{text[:length]}\N{HORIZONTAL ELLIPSIS}"


def _state(state: State) -> dict[str, str]:
    return {"symbol": SYMBOLS[state], "name": state_name(state), "kind": state.value.replace(" ", "-")}


def _student(result: SubmissionResult) -> dict[str, Any]:
    return {
        "id": _short(result.id).strip() or _("no id"),
        "name": _short(result.name).strip(),
        "points": score(result.points, result.max_points),
        "open": open_score() if result.points is None else "",
        "problem": _short(result.problem, _REMARK),
        "notes": [_short(note, _REMARK) for note in result.notes],
        "exercises": [_exercise(result, exercise) for exercise in result.exercises],
    }


def _exercise(result: SubmissionResult, exercise: ExerciseResult) -> dict[str, Any]:
    override = result.override(exercise.exercise.id)
    # What is true of the whole submission stands at its top once, not at every check.
    quiet = bool(result.problem) or exercise.state in (State.NOT_ATTEMPTED, State.SKIPPED)
    return {
        "id": exercise.exercise.id,
        "title": _(exercise.exercise.title),
        "state": _state(exercise.state),
        "points": score(result.points_of(exercise), exercise.exercise.points),
        "note": exercise.note,
        "override": "" if override is None else override_text(exercise, override),
        "checks": [_check(check, quiet) for check in exercise.checks],
    }


def _check(result: CheckResult, quiet: bool) -> dict[str, Any]:
    shown = feedback_rows(result.feedback, Reader.STUDENT_OF_A_REPORT)
    return {
        "title": _(result.check.title),
        "state": _state(result.state),
        "points": score(result.points, result.check.points),
        "open": open_check() if result.state is State.GRADER_ERROR and not quiet else "",
        "feedback": [
            {"label": row.label, "text": row.text, "kind": "likely" if row.field == "cause" else ""}
            for row in ([] if quiet or result.state is State.PASSED else shown)
        ],
    }


@dataclass
class _Tally:
    """How an exercise went in the class."""

    id: str
    title: str
    max_points: int
    points: list[int] = field(default_factory=list)
    states: Counter[State] = field(default_factory=Counter)

    def values(self) -> dict[str, Any]:
        count = sum(self.states.values())
        percent = round(100 * mean(self.points) / self.max_points) if self.points else None
        return {
            "id": self.id,
            "title": _(self.title),
            "percent": percent,
            "passed": _("{count} of {all} passed").format(count=self.states[State.PASSED], all=count),
            "states": [
                {**_state(state), "count": self.states[state], "share": round(100 * self.states[state] / count, 2)}
                for state in State
                if self.states[state]
            ],
        }


class _Class:
    """What the class page needs of all submissions, gathered one by one."""

    def __init__(self) -> None:
        self._names: set[str] = set()
        self._rows: list[dict[str, Any]] = []
        self._tallies: dict[str, _Tally] = {}
        self._percents: list[float] = []

    def page_name(self, submission_id: str) -> str:
        """Return a file name that depends on the id alone, unless the same id comes twice."""
        name = stem = safe_name(submission_id)
        number = 1
        while name.casefold() in self._names:
            number += 1
            name = f"{stem}-{number}"
        self._names.add(name.casefold())
        return f"{name}.html"

    def add(self, result: SubmissionResult, href: str) -> None:
        percent = None if result.points is None else 100 * result.points / result.max_points
        if percent is not None:
            self._percents.append(percent)
        for exercise in result.exercises:
            known = exercise.exercise
            tally = self._tallies.setdefault(known.id, _Tally(known.id, known.title, known.points))
            tally.states[exercise.state] += 1
            points = result.points_of(exercise)
            if points is not None:
                tally.points.append(points)
        overrides = [
            f"{exercise.exercise.id}: {override_text(exercise, override)}"
            for exercise in result.exercises
            if (override := result.override(exercise.exercise.id)) is not None
        ]
        remarks = [open_score()] if percent is None else []
        remarks += [result.problem] if result.problem else []
        self._rows.append(
            {
                "id": result.id,
                "shown_id": _short(result.id).strip() or _("no id"),
                "name": _short(result.name).strip(),
                "href": href,
                "points": score(result.points, result.max_points),
                "percent": None if percent is None else round(percent),
                "states": [_state(exercise.state) for exercise in result.exercises],
                "overridden": [result.override(exercise.exercise.id) is not None for exercise in result.exercises],
                "remarks": [_short(remark, _REMARK) for remark in (*remarks, *result.notes, *overrides)],
            }
        )

    def values(self, run: RunResults) -> dict[str, Any]:
        tallies = [tally.values() for tally in self._tallies.values()]
        used = {state for tally in self._tallies.values() for state in tally.states}
        count = len(self._rows)
        return {
            "course": run.course_title,
            "seed": run.seed,
            "isolation": run.isolation,
            "isolated": run.isolation != "none",
            "count": ngettext("{count} submission", "{count} submissions", count).format(count=count),
            "facts": self._facts(),
            "bins": _bins(self._percents),
            "exercises": tallies,
            "legend": [_state(state) for state in State if state in used],
            "rows": sorted(self._rows, key=lambda row: str(row["id"])),
        }

    def _facts(self) -> list[tuple[str, str]]:
        without = len(self._rows) - len(self._percents)
        facts = [(_("without a score"), str(without))] if without else []
        if self._percents:
            facts = [
                (_("mean"), f"{mean(self._percents):.0f} %"),
                (_("median"), f"{median(self._percents):.0f} %"),
                (_("full points"), str(sum(percent >= 100 for percent in self._percents))),
                *facts,
            ]
        return facts


def _bins(percents: Iterable[float]) -> list[dict[str, Any]]:
    """Return how many scores lie in each tenth; the last one includes 100 %."""
    width = 100 // _BINS
    counts = Counter(min(int(percent // width), _BINS - 1) for percent in percents)
    largest = max(counts.values(), default=1)
    return [
        {
            "label": f"{number * width}\N{EN DASH}{(number + 1) * width - (number < _BINS - 1)} %",
            "count": counts[number],
            "share": round(100 * counts[number] / largest, 2),
        }
        for number in range(_BINS)
    ]


def _student_texts() -> dict[str, str]:
    return {
        # The code of the language that these sentences are translated to.
        "lang": _("en"),
        "results": _("Results"),
        "points": _("Points"),
        "notes": _("About your files"),
        "override": _("Override"),
    }


def _class_texts() -> dict[str, str]:
    return {
        "lang": _("en"),
        "class": _("Class report"),
        "seed": _("seed"),
        "isolation": _("isolation"),
        "not_isolated": _("NOT ISOLATED: student code ran with the rights of the grader's account."),
        "for_instructors": _("For instructors: this page shows the whole class. Give students their own page only."),
        "distribution": _("Distribution of scores"),
        "score": _("Score"),
        "submissions": _("Submissions"),
        "exercises": _("Exercises"),
        "exercise": _("Exercise"),
        "mean_points": _("Mean points"),
        "states": _("States"),
        "points": _("Points"),
        "percent": _("Percent"),
        "remarks": _("Remarks"),
        "student": _("Student"),
        "legend": _("Symbols"),
        "overridden": _("points set by the instructor"),
        "nothing": _("There are no submissions."),
        "scroll": _("Table of submissions; scrolls sideways on a narrow screen"),
    }
