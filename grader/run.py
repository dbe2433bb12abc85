"""One call of `grader run`: find submissions, grade them, store each result as it ends, report on all."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from grader.classroom import Settings, grade_all
from grader.formats import results_json
from grader.formats.stored import OtherSchema, Store, conditions_of
from grader.isolation.sandbox import detect
from grader.report import Run
from grader.roster import Entry, TableError, entries_of, entries_of_roster, read_overrides
from grader.submissions import Submission
from grader.wording import printable
from lesson.course import Course


class Unusable(Exception):
    """A run that cannot begin; the text says why and what to do."""


@dataclass(frozen=True)
class RunOptions:
    """The options of `grader run`; see its help."""

    paths: tuple[Path, ...]
    output: Path
    seed: int | None = None
    jobs: int = 1
    resume: bool = False
    roster: Path | None = None
    scheduler: str = ""
    allow_unisolated: bool = False


@dataclass(frozen=True)
class Outcome:
    """The results of a run, and whether it was interrupted."""

    results: Run
    interrupted: bool


def run_class(options: RunOptions, course: Course, console: Console) -> Outcome:
    """Grade submissions into an output folder.

    Raises
    ------
    Unusable
        Before anything has been graded or overwritten.
    """
    entries = _entries(options, course)
    isolation = detect()
    if isolation.level == "none" and not options.allow_unisolated:
        raise Unusable(
            f"Student code cannot be isolated on this machine ({isolation.detail}). "
            "Grade on Linux with bubblewrap, or accept the risk with --allow-unisolated."
        )
    try:
        store = Store(options.output, course)
        overrides = read_overrides(options.output / "overrides.csv", course)
    except (OtherSchema, TableError) as error:
        raise Unusable(str(error)) from None
    seed = options.seed
    if seed is None and options.resume:
        seed = store.run.get("seed")
    settings = Settings(secrets.randbits(48) if seed is None else seed, isolation)
    conditions = conditions_of(settings.seed, isolation.level)
    store.begin({"seed": settings.seed, "isolation": isolation.level, "course": course.title})
    interrupted = _grade(options, course, settings, store, conditions, entries, console)
    results = Run(
        settings.seed, isolation.level, course.title, store.results([entry.id for entry in entries], overrides)
    )
    results_json.write(results, options.output / "results.json")
    return Outcome(results, interrupted)


def _entries(options: RunOptions, course: Course) -> list[Entry]:
    if not any(path.exists() or path.is_symlink() for path in options.paths):
        raise Unusable(f"There is no file or folder {options.paths[0]}.")
    if options.roster is None:
        return entries_of(options.paths, course)
    if not options.roster.exists():
        raise Unusable(f"There is no file {options.roster}.")
    try:
        return entries_of_roster(options.roster, options.paths, course)
    except TableError as error:
        raise Unusable(str(error)) from None


def _grade(
    options: RunOptions,
    course: Course,
    settings: Settings,
    store: Store,
    conditions: str,
    entries: list[Entry],
    console: Console,
) -> bool:
    """Grade what is not finished; returns whether the run was interrupted."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("grading", total=len(entries))
        # Those that are being graded now, so that a result can be stored with what it belongs to.
        handed_over: dict[str, Submission] = {}

        def unfinished() -> Iterator[Submission]:
            for entry in entries:
                submission = entry.read()
                if options.resume and store.finished(submission, conditions):
                    progress.advance(task)
                else:
                    handed_over[submission.id] = submission
                    yield submission

        try:
            with closing(grade_all(unfinished(), course, settings, options.jobs, options.scheduler)) as results:
                for result in results:
                    store.put(handed_over.pop(result.id), conditions, result)
                    progress.update(task, advance=1, description=printable(result.id)[:30])
        except KeyboardInterrupt:
            return True
    return False
