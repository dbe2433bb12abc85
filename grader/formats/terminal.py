"""What `grader run` and `grader check` print, for a tired person."""

from __future__ import annotations

from collections.abc import Iterable

from rich import box
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from grader.messages import _, ngettext
from grader.results import CheckResult, ExerciseResult, Feedback, RunResults, State, SubmissionResult
from grader.words import SYMBOLS, Reader, exercise_score, feedback_rows, printable, score, state_name

_STYLES = {
    State.PASSED: "green",
    State.FAILED: "red",
    State.ERROR: "red",
    State.NOT_ATTEMPTED: "dim",
    State.BLOCKED: "yellow",
    State.TIMEOUT: "red",
    State.MEMORY: "red",
    State.CRASHED: "red",
    State.GRADER_ERROR: "bold magenta",
    State.UNGRADABLE: "magenta",
    State.SKIPPED: "dim",
}
_ROW_STYLES = {"cause": "bold", "hidden": "dim", "read": "dim"}


def print_run(console: Console, run: RunResults) -> None:
    """Print the results of `grader run`: details for one submission, a table for several."""
    if len(run.submissions) == 1:
        print_submission(console, run.submissions[0], instructor=True)
        return
    console.print(_class_table(run.submissions))
    console.print()
    for result in run.submissions:
        lines = list(_reasons(result))
        if lines:
            console.print(Text(printable(result.id), style="bold"))
            console.print(Padding(Group(*lines), (0, 0, 1, 2)))


def print_submission(console: Console, result: SubmissionResult, *, instructor: bool) -> None:
    """Print one submission, exercise by exercise."""
    title = Text(printable(result.id), style="bold")
    title.append(f"  {score(result.points, result.max_points)}", style="bold cyan")
    console.print(title)
    for note in result.notes:
        console.print(Text(printable(note), style="yellow"))
    if result.problem:
        console.print(Text(printable(result.problem), style="red"))
        return
    for exercise in result.exercises:
        print_exercise(console, exercise, instructor=instructor)


def print_exercise(console: Console, result: ExerciseResult, *, instructor: bool = False) -> None:
    """Print one exercise: a line when it passed, every open check otherwise."""
    symbol, style = SYMBOLS[result.state], _STYLES[result.state]
    head = Text.assemble(
        (f"{symbol} ", style),
        (f"{result.exercise.id}  ", "bold"),
        _(result.exercise.title),
        (f"  {exercise_score(result)}", "cyan"),
    )
    if result.state is not State.PASSED:
        head.append(f"  {state_name(result.state)}", style=style)
    console.print(head)
    if result.note:
        console.print(Padding(Text(result.note, style="yellow"), (0, 0, 0, 4)))
    if all(check.state in (State.NOT_ATTEMPTED, State.SKIPPED) for check in result.checks):
        return
    for check in result.checks:
        if check.state is not State.PASSED:
            console.print(Padding(_check(check, instructor), (0, 0, 0, 4)))


def print_check(console: Console, result: CheckResult) -> None:
    """Print one check for the instructor."""
    console.print(_check(result, instructor=True))


def print_progress(console: Console, results: Iterable[ExerciseResult]) -> None:
    """Print how many points there are so far."""
    results = list(results)
    points = sum(result.points or 0 for result in results)
    possible = sum(result.exercise.points for result in results if not result.exercise.bonus)
    done = min(20, round(20 * points / possible))
    bar = Text("█" * done, style="green").append("░" * (20 - done), style="dim")
    console.print(bar.append(f"  {score(points, possible)}", style="bold cyan"))


def _check(result: CheckResult, instructor: bool) -> RenderableType:
    symbol, style = SYMBOLS[result.state], _STYLES[result.state]
    lines: list[RenderableType] = [
        Text.assemble((f"{symbol} ", style), _(result.check.title), (f"  {state_name(result.state)}", style))
    ]
    feedback = result.feedback
    if feedback is None:
        return lines[0]
    table = Table.grid(padding=(0, 1))
    table.add_column(style="dim", no_wrap=True)
    table.add_column()
    reader = Reader.INSTRUCTOR if instructor else Reader.STUDENT_AT_WORK
    for row in feedback_rows(feedback, reader):
        table.add_row(row.label, Text(row.text, style=_ROW_STYLES.get(row.field, "")))
    lines.append(Padding(table, (0, 0, 0, 2)))
    return Group(*lines)


def _class_table(submissions: Iterable[SubmissionResult]) -> Table:
    submissions = list(submissions)
    table = Table(box=box.SIMPLE_HEAD, header_style="bold", padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column(_("submission"), no_wrap=True, overflow="ellipsis")
    table.add_column(_("points"), justify="right", no_wrap=True)
    for exercise in submissions[0].exercises:
        table.add_column(_short(exercise.exercise.id), justify="center", no_wrap=True)
    for result in submissions:
        cells = [
            Text(SYMBOLS[exercise.state], _STYLES[exercise.state], justify="center") for exercise in result.exercises
        ]
        total = Text(score(result.points, result.max_points), style="cyan")
        table.add_row(Text(printable(result.id)), total, *cells)
    used = sorted({e.state for s in submissions for e in s.exercises}, key=list(State).index)
    table.caption = "   ".join(f"{SYMBOLS[state]} {state_name(state)}" for state in used)
    return table


def _short(exercise_id: str) -> str:
    """Return a column head: 3 for step3, E3 for exercise3."""
    return exercise_id.removeprefix("step").replace("exercise", "E")


def _reasons(result: SubmissionResult) -> Iterable[Text]:
    """Yield a line for each note and each exercise that is not right."""
    for note in result.notes:
        yield Text(printable(note), style="yellow")
    if result.problem:
        yield Text(printable(result.problem), style="red")
        return
    for exercise in result.exercises:
        if exercise.left_out:
            continue
        if exercise.note:
            yield Text(f"{exercise.exercise.id}  {exercise.note}", style="yellow")
        open_checks = [check for check in exercise.checks if check.state is not State.PASSED]
        if not open_checks or exercise.state is State.NOT_ATTEMPTED:
            continue
        first = next((check for check in open_checks if check.state is exercise.state), open_checks[0])
        symbol, style = SYMBOLS[exercise.state], _STYLES[exercise.state]
        feedback = first.feedback or Feedback()
        reason = feedback.cause or feedback.got
        if first.state is State.ERROR and feedback.hidden:
            reason = f"{reason} {feedback.hidden}"
        more = len(open_checks) - 1
        line = Text.assemble((f"{symbol} {exercise.exercise.id}.{first.check.id} ", style), printable(reason))
        if more:
            line.append("  " + ngettext("and {count} more", "and {count} more", more).format(count=more), "dim")
        yield line
