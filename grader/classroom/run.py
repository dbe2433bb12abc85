"""One call of `grader run`: find submissions, grade them, store each result as it ends, report on all."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from grader.classroom.room import Settings, grade_all
from grader.classroom.roster import Entry, Intake, TableError, read_overrides, take_in
from grader.classroom.screen import print_intake
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
    """The results of a run that has ended, what it was given, and whether it was interrupted before the end."""

    results: RunResults
    intake: Intake
    interrupted: bool


def run_class(options: RunOptions, course: Course, console: Console) -> FinishedRun:
    """Grade submissions into an output folder.

    Raises
    ------
    Unusable
        Before anything has been graded or overwritten.
    """
    intake = intake_of(options.paths, course, options.roster, options.output)
    entries = intake.entries
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
    passed_over = {passed.path: passed.reason for passed in intake.collected.passed_over}
    print_intake(console, intake)
    settings = Settings(secrets.randbits(48) if seed is None else seed, isolation)
    conditions = conditions_of(settings.seed, isolation.level, settings.packages)
    ids = [entry.id for entry in entries]
    store.begin(
        {
            "seed": settings.seed,
            "isolation": isolation.level,
            "course": course.title,
            "ids": ids,
            "paths": list(map(str, options.paths)),
            "roster": str(options.roster or ""),
            "passed_over": passed_over,
            "unmatched": list(intake.unmatched),
        }
    )
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
    return FinishedRun(results, intake, interrupted)


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


def intake_of(paths: Sequence[Path], course: Course, roster: Path | None, output: Path | None = None) -> Intake:
    """Return whose submissions there are.

    Raises
    ------
    Unusable
        When there are none, or the roster cannot be used.
    """
    if not any(path.exists() or path.is_symlink() for path in paths):
        raise Unusable(f"There is no file or folder {paths[0]}.")
    if roster is not None and not roster.is_file():
        raise Unusable(f"There is no file {roster}.")
    try:
        return take_in(paths, course, roster, [output] if output else [])
    except TableError as error:
        raise Unusable(str(error)) from None


def submission_of(folder: Path, student: str, course: Course) -> Submission:
    """Return what a student of an earlier run handed in, from where it was then.

    Raises
    ------
    Unusable
        When it is not there any more.
    """
    run = Store(folder, course).run
    paths = [Path(path) for path in run.get("paths", [])]
    roster = Path(run["roster"]) if run.get("roster") else None
    if paths:
        intake = intake_of(paths, course, roster, folder)
        for entry in intake.entries:
            if entry.id == student and entry.pieces:
                return entry.read()
    raise Unusable(f"The submission of {student!r} is not there any more.")


def _grade(
    entries: Sequence[Entry],
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
