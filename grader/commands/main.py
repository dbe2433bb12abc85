"""The command line: it only parses and prints. Everything else is imported when a command needs it."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup

from grader.commands import policy
from grader.formats.registry import Format

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from rich.console import Console

    from grader.author.check import Part
    from grader.desk.checking import Checker
    from grader.results import ExerciseResult
    from lesson.course import Course, Exercise

# Exit codes; the whole list stands in README.md.
BELOW_THRESHOLD = 1
NOT_ALL_PASSED = 1
USAGE = 2
GRADER_ERROR = 3
INTERNAL = 4
INCOMPLETE = 5
INTERRUPTED = 130

STUDENTS, INSTRUCTORS, AUTHORS = PANELS = ("For students", "For instructors", "For authors")


class PanelsInOrder(TyperGroup):
    """The commands in the order of their panels in `grader --help`."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of the commands; Typer shows a panel where its first command comes."""
        commands: Mapping[str, Any] = self.commands
        return sorted(commands, key=lambda name: PANELS.index(commands[name].rich_help_panel))


app = typer.Typer(
    cls=PanelsInOrder,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
export_app = typer.Typer(help="Build what other systems need to grade with this course.", no_args_is_help=True)
app.add_typer(export_app, name="export", rich_help_panel=INSTRUCTORS)
author_app = typer.Typer(help="For those who change the course.", no_args_is_help=True)
app.add_typer(author_app, name="author", rich_help_panel=AUTHORS)
app.add_typer(policy.app, name="policy", rich_help_panel=INSTRUCTORS)


StepOption = Annotated[str | None, typer.Option("--step", metavar="ID", help="Only this exercise, such as step3.")]


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"grader {_version()}")
        raise typer.Exit


VersionOption = Annotated[
    bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
]


@app.callback()
def options(version: VersionOption = False) -> None:
    """Grade exercises on gradient checkpointing: a whole class with `run`, your own work with `check`."""


def main() -> None:
    """Run the command line; ends the process."""
    from lesson.course import CourseError

    try:
        app()
    except KeyboardInterrupt:
        _stop("Interrupted.", INTERRUPTED)
    except CourseError as error:
        _stop(str(error), USAGE)
    except ModuleNotFoundError as error:
        # The students' wheel comes without the solutions and what belongs to them.
        if (error.name or "").partition(".")[0] not in ("solutions", "grader"):
            raise
        _stop("This command is for instructors and needs the whole course; you have the students' edition.", USAGE)
    except OSError as error:
        _stop(f"{error.filename or 'A file'}: {error.strerror or error}.", INTERNAL)
    except Exception as error:  # noqa: BLE001 - a sentence, not a traceback; what is finished has been written
        _stop(f"The grader itself failed ({type(error).__name__}: {error}); please report this.", INTERNAL)


@app.command(rich_help_panel=INSTRUCTORS)
def run(
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="PATH...",
            help="Submissions: .py files, notebooks, folders or archives. A folder that directly holds a module of the "
            "course (recompute.py, say) is one submission; any other folder is a class of submissions, and so is the "
            "download of a learning platform, packed or not.",
        ),
    ],
    output: Annotated[Path, typer.Option(metavar="DIR", help="Where the results go.")] = Path("grades"),
    seed: Annotated[
        int | None,
        typer.Option(metavar="N", min=0, help="Repeats the inputs of a run; random by default."),
    ] = None,
    fail_under: Annotated[
        float | None,
        typer.Option(metavar="PERCENT", min=0, max=100, help="Exit with 1 when a score is below this."),
    ] = None,
    jobs: Annotated[int, typer.Option("--jobs", "-j", metavar="N", min=1, help="Processes that grade.")] = 1,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the run in DIR; what is finished and unchanged stays.")
    ] = False,
    roster: Annotated[
        Path | None,
        typer.Option(metavar="CSV", help="Students: a table with the column id, and name and path if you like."),
    ] = None,
    scheduler: Annotated[
        str, typer.Option(metavar="ADDRESS", help="Grade on the workers of this Dask scheduler instead.")
    ] = "",
    allow_unisolated: Annotated[
        bool, typer.Option("--allow-unisolated", help="Grade even where student code cannot be isolated.")
    ] = False,
    execute: Annotated[
        bool, typer.Option("--execute", help="Also run notebooks from top to bottom, and keep copies with feedback.")
    ] = False,
) -> None:
    """Grade submissions on hidden inputs, each in a locked-down process of its own."""
    from grader.classroom.run import RunOptions, Unusable, run_class
    from grader.formats.terminal import print_run
    from grader.results import State

    console = _console()
    options = RunOptions(
        paths=tuple(paths),
        output=output,
        seed=seed,
        jobs=jobs,
        resume=resume,
        roster=roster,
        scheduler=scheduler,
        allow_unisolated=allow_unisolated,
        execute=execute,
    )
    try:
        finished = run_class(options, _course(), console)
    except Unusable as error:
        _stop(str(error), USAGE)
    print_run(console, finished.results)
    if finished.results.isolation == "none":
        console.print("NOT ISOLATED: student code ran with the rights of this account.", style="bold red")
    console.print(
        f"Seed {finished.results.seed}, isolation {finished.results.isolation}. Results are in {output}.",
        style="dim",
        highlight=False,
    )
    if finished.interrupted:
        _stop("Interrupted; --resume goes on where this run stopped.", INTERRUPTED)
    states = [result.state for result in finished.results.submissions]
    if State.GRADER_ERROR in states:
        raise typer.Exit(GRADER_ERROR)
    percents = [100 * (result.points or 0) / result.max_points for result in finished.results.submissions]
    if fail_under is not None and min(percents) < fail_under:
        raise typer.Exit(BELOW_THRESHOLD)
    if State.UNGRADABLE in states or finished.intake.unmatched:
        raise typer.Exit(INCOMPLETE)


@app.command(rich_help_panel=INSTRUCTORS)
def collect(
    paths: Annotated[list[Path], typer.Argument(metavar="PATH...", help="The same as for `grader run`.")],
    roster: Annotated[
        Path | None,
        typer.Option(metavar="CSV", help="Students: a table with the column id, and name and path if you like."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Also write a tidy folder, with a folder for each student.")
    ] = None,
) -> None:
    """Look at what was handed in, without grading: who is found, missing, unreadable or not in the roster."""
    from grader.classroom.run import Unusable, intake_of
    from grader.classroom.screen import print_collection, print_intake
    from grader.classroom.tidy import write_tidy

    console = _console()
    if output and output.exists() and (not output.is_dir() or any(output.iterdir())):
        _stop(f"{output} exists already; name a new folder, so that nothing is overwritten.", USAGE)
    try:
        intake = intake_of(paths, _course(), roster, output)
    except Unusable as error:
        _stop(str(error), USAGE)
    print_intake(console, intake)
    submissions = (entry.read() for entry in intake.entries)
    written = write_tidy(submissions, output) if output else submissions
    print_collection(console, intake, written)
    if output:
        console.print(f"The tidy folder is {output}, with a roster.csv in it.", highlight=False)


@app.command(rich_help_panel=STUDENTS)
def new(folder: Annotated[Path, typer.Argument(metavar="DIR", help="A folder that does not exist yet.")]) -> None:
    """Make a working folder with the skeleton to fill in."""
    from importlib.resources import files

    from grader.messages import _

    course = _course()
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        _stop(f"{folder} exists already; name a new folder, so that nothing is overwritten.", USAGE)
    folder.mkdir(parents=True, exist_ok=True)
    for topic in course.topics:
        (folder / f"{topic.id}.py").write_bytes(files("student_template").joinpath(f"{topic.id}.py").read_bytes())
    first = course.exercises[0]
    console = _console()
    begin = _("Your skeleton is in {folder}. Begin with {exercise} in {file}, then:")
    console.print(begin.format(folder=folder, exercise=first.id, file=f"{first.topic}.py"), highlight=False)
    console.print(f"    cd {folder}\n    grader check --step {first.id}", style="bold", highlight=False)


@app.command(rich_help_panel=STUDENTS)
def check(
    path: Annotated[Path, typer.Argument(help="Your file or folder.")] = Path(),
    step: StepOption = None,
    watch: Annotated[bool, typer.Option("--watch", help="Check again whenever you save.")] = False,
) -> None:
    """Check your own work on public cases and see at once what is right and why not."""
    from grader.desk.checking import fingerprint
    from grader.messages import _

    course = _course()
    exercises = course.exercises if step is None else (_exercise(course, step),)
    if not path.exists():
        _stop(f"There is no file or folder {path}.", USAGE)
    checker = _checker(course)
    console = _console()
    while True:
        # Taken before the check, so that what is saved while it runs is checked again.
        seen = fingerprint(path)
        passed = _check_once(checker, path, exercises, console, may_be_left_out=step is None)
        if not watch:
            break
        console.print(_("Watching; save to check again, Ctrl-C to stop."), style="dim")
        while fingerprint(path) == seen:
            time.sleep(0.2)
        console.rule()
    if not passed:
        raise typer.Exit(NOT_ALL_PASSED)


@app.command(rich_help_panel=STUDENTS)
def hint(step: Annotated[str, typer.Argument(metavar="STEP", help="An exercise, such as step3.")]) -> None:
    """Show one more hint for an exercise at each call."""
    from grader.messages import _, ngettext

    exercise = _exercise(_course(), step)
    memory = Path(".grader-hints.json")
    try:
        shown = json.loads(memory.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        shown = {}
    before = shown.get(exercise.id, 0) if isinstance(shown, dict) else 0
    count = min(before + 1 if isinstance(before, int) and before >= 0 else 1, len(exercise.hints))
    console = _console()
    console.print(f"[bold]{exercise.id}[/bold]  {_(exercise.title)}")
    for number, text in enumerate(exercise.hints[:count], 1):
        console.print(f"{number}. {_(text)}", highlight=False, markup=False)
    left = len(exercise.hints) - count
    more = ngettext("{count} more.", "{count} more.", left).format(count=left)
    console.print(more if left else _("That was the last one."), style="dim")
    memory.write_text(json.dumps({**(shown if isinstance(shown, dict) else {}), exercise.id: count}), encoding="utf-8")


@app.command(rich_help_panel=INSTRUCTORS)
def report(
    results: Annotated[Path, typer.Argument(metavar="DIR", help="The output folder of a run.")],
    form: Annotated[Format, typer.Option("--format", help="What to write.")] = Format.HTML,
    output: Annotated[
        Path | None, typer.Option(metavar="PATH", help="Where to write; by default beside the results.")
    ] = None,
) -> None:
    """Write the results of a run in another form; overrides.csv in its folder counts and shows."""
    from grader.classroom.run import Unusable, stored_results
    from grader.formats.writing import FormatUnavailable

    try:
        written = form.write(stored_results(results, _course()), output or results)
    except (Unusable, FormatUnavailable) as error:
        _stop(str(error), USAGE)
    print(written.path)
    for remark in written.remarks:
        print(_printable(remark))


@export_app.command("gradescope")
def export_gradescope(folder: Annotated[Path, typer.Argument(metavar="DIR", help="Where the upload goes.")]) -> None:
    """Build the autograder to upload to Gradescope."""
    from grader.formats.gradescope_export import ExportError, export

    try:
        print(export(folder))
    except ExportError as error:
        _stop(str(error), USAGE)


@app.command(rich_help_panel=INSTRUCTORS)
def replay(
    results: Annotated[Path, typer.Argument(metavar="DIR", help="The output folder of a run.")],
    student: Annotated[str, typer.Option(metavar="ID", help="Whose verdict to look at.")],
    check_name: Annotated[str, typer.Option("--check", metavar="NAME", help="Such as step2.biases.")],
) -> None:
    """Show the exact call behind a verdict as a snippet that runs on its own, and ask it again."""
    from grader.classroom.replay import replay as ask_again
    from grader.classroom.run import Unusable, stored_results, submission_of
    from grader.formats.terminal import print_check

    course = _course()
    exercise_id, _dot, check_id = check_name.partition(".")
    exercise = _exercise(course, exercise_id)
    if check_id not in [known.id for known in exercise.checks]:
        names = ", ".join(f"{exercise.id}.{known.id}" for known in exercise.checks)
        _stop(f"There is no check {check_name!r}; {exercise.id} has {names}.", USAGE)
    try:
        run_results = stored_results(results, course)
    except Unusable as error:
        _stop(str(error), USAGE)
    found = [result for result in run_results.submissions if result.id == student]
    if not found:
        _stop(f"There is no result of {student!r} in {results}.", USAGE)
    try:
        submission = submission_of(results, student, course)
    except Unusable as error:
        _stop(str(error), USAGE)
    again = ask_again(submission, course, run_results.seed, exercise, check_id)
    print(f"# {_printable(student)}: {check_name}, case {again.number} of {again.count}")
    print(again.snippet)
    print_check(_console(), again.result)


@app.command(rich_help_panel=INSTRUCTORS)
def doctor() -> None:
    """Say what isolation this machine offers, which extras are installed, and what to do about what is missing."""
    from grader.commands.doctor import examine
    from grader.results import State
    from grader.words import SYMBOLS

    console = _console()
    for finding in examine(_course()):
        mark, style = (SYMBOLS[State.PASSED], "green") if finding.fine else (SYMBOLS[State.FAILED], "yellow")
        console.print(f"[{style}]{mark}[/] ", end="")
        console.print(finding.sentence, highlight=False, markup=False)
        if finding.advice:
            console.print(f"  {finding.advice}", style="dim", highlight=False, markup=False)


@app.command(rich_help_panel=INSTRUCTORS)
def release(folder: Annotated[Path, typer.Argument(metavar="DIR", help="A folder that does not exist yet.")]) -> None:
    """Write what students get into a folder: notebooks, skeleton, and a wheel without solutions."""
    root = _clone()
    from grader.author.release import ReleaseError
    from grader.author.release import release as write_release

    try:
        wheel = write_release(root, folder, _course())
    except ReleaseError as error:
        _stop(str(error), USAGE)
    print(f"What students get is in {folder}; its README.md tells them how to begin. The wheel is {wheel.name}.")


WheelsOption = Annotated[
    Path | None, typer.Option(metavar="DIR", help="Wheels that are here already; missing ones are downloaded.")
]


@app.command(rich_help_panel=INSTRUCTORS)
def site(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Where the site goes; an earlier one is replaced.")],
    wheels: WheelsOption = None,
) -> None:
    """Build the page for graded exercises in the browser; any web server can hand it out."""
    _build_site(folder, wheels)
    _console().print(f"The page is in {folder}.", style="green", highlight=False)


@app.command(rich_help_panel=INSTRUCTORS)
def serve(
    folder: Annotated[
        Path | None, typer.Argument(metavar="[DIR]", help="A site that is built already; by default it is built now.")
    ] = None,
    port: Annotated[int, typer.Option(metavar="N", min=0, max=65535, help="A free one by default.")] = 0,
    wheels: WheelsOption = None,
) -> None:
    """Hand out the page for graded exercises on this computer."""
    import tempfile

    from grader.page.server import SiteServer

    with tempfile.TemporaryDirectory() as temporary:
        if folder is None:
            folder = Path(temporary, "site")
            _build_site(folder, wheels)
        elif not (folder / "index.html").exists():
            _stop(f"{folder} holds no page; build one with `grader site {folder}`.", USAGE)
        with SiteServer(folder, port) as server:
            _console().print(f"The page is at {server.address}  Ctrl-C ends it.", highlight=False)
            server.serve_forever()


@author_app.command("new")
def author_new(
    exercise_id: Annotated[str, typer.Argument(metavar="ID", help="Of the new exercise, such as step8.")],
    topic: Annotated[str, typer.Option(metavar="ID", help="The topic to which it belongs, such as cost_model.")],
    functions: Annotated[str, typer.Option(metavar="NAME[,NAME...]", help="The functions to be graded.")],
) -> None:
    """Write everything that a new exercise needs, with a TODO wherever you have to decide."""
    from grader.author.new_exercise import CannotAdd, NewExercise, add_exercise

    root = _clone()
    names = tuple(name.strip() for name in functions.split(",") if name.strip())
    try:
        written = add_exercise(root, _course(), NewExercise(exercise_id, topic, names))
    except CannotAdd as error:
        _stop(str(error), USAGE)
    for path in written:
        print(path.relative_to(root))
    print(f"Now run `grader author build`; `grader author check {exercise_id}` names what is left to do.")


@author_app.command("check")
def author_check(
    exercise_ids: Annotated[
        list[str] | None, typer.Argument(metavar="[ID...]", help="Only these exercises; all by default.")
    ] = None,
    jobs: Annotated[int, typer.Option("--jobs", "-j", metavar="N", min=1, help="Processes that grade.")] = 1,
) -> None:
    """Find out whether the course is fit to be released: TODOs, generated files, stubs, solutions and answers."""
    from grader.author.check import AuthorCheck

    root, course = _clone(), _course()
    exercises = [_exercise(course, name) for name in exercise_ids] if exercise_ids else course.exercises
    check = AuthorCheck(root, course, exercises=exercises)
    console = _console()
    parts = check.parts()
    sound = True
    for problems in _with_progress(console, parts, check.examine(parts, jobs)):
        for problem in problems:
            sound = False
            # A name that is broken in two cannot be copied.
            console.print(problem, highlight=False, markup=False, soft_wrap=True)
    for exercise in exercises:
        if not exercise.can_be_graded_here:
            console.print(f"{exercise.id} was left out: it needs the package {exercise.requires}.", style="yellow")
    if not sound:
        raise typer.Exit(NOT_ALL_PASSED)
    console.print("Everything is as it should be.", style="green")


@author_app.command("build")
def author_build() -> None:
    """Write the generated files: skeleton, notebooks, diagrams, public cases and the catalogue of sentences."""
    from grader.author.generated import build

    root = _clone()
    written = build(root, _course())
    for path in written:
        print(path.relative_to(root))
    if not written:
        print("Everything was current.")


def _checker(course: Course) -> Checker:
    from grader.desk.checking import Checker

    if sys.platform == "win32":
        return Checker(course)  # which has no way to hand a connection to another process
    from grader.desk.apart import ApartStudent

    return Checker(course, ApartStudent)


def _check_once(
    checker: Any, path: Path, exercises: tuple[Exercise, ...], console: Console, *, may_be_left_out: bool
) -> bool:
    from grader.formats.terminal import print_exercise, print_progress
    from grader.results import State

    work = checker.read(path)
    for note in (*work.notes, *([work.problem] if work.problem else [])):
        console.print(_printable(note), style="yellow", highlight=False, markup=False)
    if work.problem:
        return False
    results: tuple[ExerciseResult, ...] = checker.check(work, exercises)
    for result in results:
        print_exercise(console, result)
    if len(results) > 1:
        print_progress(console, results)
    return all(result.state is State.PASSED or (may_be_left_out and result.left_out) for result in results)


def _with_progress(console: Console, parts: Sequence[Part], problems: Iterable[list[str]]) -> Iterator[list[str]]:
    """Yield the problems of each part under a progress bar, or in a pipe with a line after the parts of one name."""
    if not console.is_terminal:
        for done, (part, found) in enumerate(zip(parts, problems, strict=True), 1):
            yield found
            if done == len(parts) or parts[done].name != part.name:
                console.print(f"{done}/{len(parts)} {part.name}", highlight=False, soft_wrap=True)
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}")
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task(parts[0].name, total=len(parts))
        for part, found in zip(parts, problems, strict=True):
            progress.update(task, description=part.name, advance=1)
            yield found


def _build_site(folder: Path, wheels: Path | None) -> None:
    from grader.page.build import Unbuildable, build_site

    console = _console()
    try:
        with console.status("") as status:
            build_site(_clone(), _course(), folder, wheels, lambda doing: status.update(f"{doing} …"))
    except Unbuildable as error:
        _stop(str(error), USAGE)


def _course() -> Course:
    from lesson.course import load_course

    return load_course()


def _exercise(course: Course, step: str) -> Exercise:
    try:
        return course.exercise(step if not step.isdigit() else f"step{step}")
    except KeyError as error:
        _stop(f"{str(error.args[0]).capitalize()}.", USAGE)


def _clone() -> Path:
    root = Path(__file__).resolve().parents[2]
    if not (root / "tests" / "wrong_answers").is_dir():
        _stop("This needs a clone of the project, installed with `pip install -e .`.", USAGE)
    return root


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("checkpointing-course")
    except PackageNotFoundError:
        return "of unknown version: the package is not installed"


def _console() -> Console:
    from rich.console import Console

    return Console(soft_wrap=False)


def _printable(text: str) -> str:
    from grader.words import printable

    return printable(text)


def _stop(sentence: str, code: int) -> NoReturn:
    print(sentence, file=sys.stderr)
    raise SystemExit(code)
