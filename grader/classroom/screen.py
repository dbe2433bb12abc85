"""What `grader run` and `grader collect` print about what was handed in, for the instructor."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePosixPath

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from grader.classroom.roster import Intake
from grader.files import Submission
from grader.words import printable

# Of files in one line.
_MAX_NAMES = 8


def print_intake(console: Console, intake: Intake) -> None:
    """Print what was recognised, who has no submission or no line in the roster, and what was passed over."""
    for sentence in intake.collected.layouts:
        console.print(Text(printable(sentence), style="bold"))
    for sentence in intake.unmatched:
        console.print(Text(printable(sentence), style="yellow"))
    passed_over = intake.collected.passed_over
    for reason in dict.fromkeys(passed.reason for passed in passed_over):
        names = [PurePosixPath(passed.path).name for passed in passed_over if passed.reason == reason]
        more = f" and {len(names) - _MAX_NAMES} more" if len(names) > _MAX_NAMES else ""
        line = f"Passed over ({reason}): {', '.join(names[:_MAX_NAMES])}{more}."
        console.print(Text(printable(line), style="dim"))


def print_collection(console: Console, intake: Intake, submissions: Iterable[Submission]) -> None:
    """Print a line for each submission: found, missing, unreadable, or unmatched by the roster."""
    table = Table(box=box.SIMPLE_HEAD, header_style="bold", padding=(0, 1, 0, 0), pad_edge=False)
    for head in ("student", "name", "", "files"):
        table.add_column(head)
    for submission in submissions:
        if not submission.path:
            state, style = "missing", "red"
        elif not submission.files:
            state, style = "unreadable", "red"
        elif submission.id in intake.nobody:
            state, style = "unmatched", "yellow"
        else:
            state, style = "found", "green"
        files = [name for name in submission.files if name.endswith((".py", ".ipynb", ".md"))]
        more = f" and {len(files) - _MAX_NAMES} more" if len(files) > _MAX_NAMES else ""
        lines = [f"{', '.join(files[:_MAX_NAMES])}{more}"] if files else []
        lines += [*([submission.problem or submission.fault] if state == "unreadable" else []), *submission.notes]
        table.add_row(
            Text(printable(submission.id)),
            Text(printable(submission.name)),
            Text(f"{state}, late" if submission.late else state, style=style),
            Text(printable("\n".join(lines))),
        )
    console.print(table)
