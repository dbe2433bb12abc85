"""One call of `grader run`: find submissions, grade them, store each result as it ends, report on all."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from grader.classroom.room import Settings, grade_all
from grader.classroom.roster import Entry, TableError, entries_of, entries_of_roster, read_overrides
from grader.classroom.store import OtherSchema, Store, conditions_of
from grader.files import Submission
from grader.formats import results_json
from grader.formats.registry import Format
from grader.formats.writing import FormatUnavailable
from grader.isolation.sandbox import detect
from grader.results import RunResults, SubmissionResult
from grader.words import printable
from lesson.course import Course

Execute = Callable[[Submission, SubmissionResult], None]


class Unusable(Exception):
    """A run that cannot begin; the text says why and what to do."""


@dataclass(frozen=True, kw_only=True)
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
    execute: bool = False


@dataclass(frozen=True)
class FinishedRun:
    """The results of a run that has ended, and whether it was interrupted before everything was graded."""

    results: RunResults
    interrupted: bool


def run_class(options: RunOptions, course: Course, console: Console) -> FinishedRun:
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
    conditions = conditions_of(settings.seed, isolation.level, settings.packages)
    ids = [entry.id for entry in entries]
    store.begin({"seed": settings.seed, "isolation": isolation.level, "course": course.title, "ids": ids})
    with _executions(options, settings) as execute:
        interrupted = _grade(
            entries,
            options=options,
            course=course,
            settings=settings,
            store=store,
            conditions=conditions,
            console=console,
            execute=execute,
        )
    results = RunResults(settings.seed, isolation.level, course.title, store.results(ids, overrides))
    results_json.write(results, options.output / "results.json")
    Format.CSV.write(results, options.output)
    with suppress(FormatUnavailable):
        Format.HTML.write(results, options.output)
    return FinishedRun(results, interrupted)


@contextmanager
def _executions(options: RunOptions, settings: Settings) -> Iterator[Execute]:
    """Run notebooks beside the grading, as many at a time as there are jobs; none unless that is asked for."""
    if not options.execute:
        yield lambda _submission, _result: None
        return
    from grader.formats.executed import write_executed
    from grader.isolation.kernels import CannotExecute, Kernels

    if settings.isolation.level != "bwrap" and not options.allow_unisolated:
        raise Unusable(
            "Whole notebooks are executed in bubblewrap only (apt-get install bubblewrap). Leave out --execute, or "
            "accept the risk with --allow-unisolated."
        )
    try:
        kernels = Kernels(settings.isolation)
    except CannotExecute as error:
        raise Unusable(str(error)) from None
    executor = ThreadPoolExecutor(options.jobs)
    pending: set[Future[None]] = set()

    def run(submission: Submission, result: SubmissionResult) -> None:
        notebooks = {path: data for path, data in submission.files.items() if path.endswith(".ipynb")}
        executed = {path: kernels.run(data) for path, data in notebooks.items()}
        copies = {path: (each.notebook, each.problem) for path, each in executed.items()}
        write_executed(options.output / "executed", result, copies)

    def execute(submission: Submission, result: SubmissionResult) -> None:
        while len(pending) >= 2 * options.jobs:  # so that memory does not grow with the class
            done, _others = wait(pending, return_when=FIRST_COMPLETED)
            pending.difference_update(done)
        pending.add(executor.submit(run, submission, result))

    try:
        yield execute
        executor.shutdown(wait=True)
    finally:
        executor.shutdown(wait=False, cancel_futures=True)
        kernels.close()


def stored_results(folder: Path, course: Course) -> RunResults:
    """Return the results of an earlier run, with the overrides that are in its folder now.

    Raises
    ------
    Unusable
        When there are none that can be read.
    """
    if not (folder / "run.json").exists():
        raise Unusable(f"{folder} is not the output folder of a run.")
    try:
        store = Store(folder, course)
        overrides = read_overrides(folder / "overrides.csv", course)
    except (OtherSchema, TableError) as error:
        raise Unusable(str(error)) from None
    run = store.run
    return RunResults(run["seed"], run["isolation"], run["course"], store.results(run["ids"], overrides))


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
    entries: list[Entry],
    *,
    options: RunOptions,
    course: Course,
    settings: Settings,
    store: Store,
    conditions: str,
    console: Console,
    execute: Execute,
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
                    submission = handed_over.pop(result.id)
                    store.put(submission, conditions, result)
                    execute(submission, result)
                    progress.update(task, advance=1, description=printable(result.id)[:30])
        except KeyboardInterrupt:
            return True
    return False
