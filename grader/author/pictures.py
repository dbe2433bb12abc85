"""The pictures of terminal output in the README: what the installed command prints, drawn as SVG.

    python -m grader.author.pictures

runs the commands on the demo submissions, with a fixed seed, and writes `lesson/figures/*.svg`.
"""

from __future__ import annotations

import contextlib
import importlib.metadata
import io
import os
import re
import shlex
import shutil
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

FOLDER = Path("lesson", "figures")
COLUMNS = 96
_DEMO = Path("tests", "demo_class")
# The submission that the second picture shows as a student sees it while working on it.
_WORK = "keeps_everything"

# What stands in the place of a font that would be fetched from a server.
_FONTS = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
# Background, text, and the eight colours of a terminal.
_THEME = TerminalTheme(
    (27, 31, 38),
    (222, 226, 232),
    [
        (60, 66, 77),
        (255, 123, 114),
        (99, 214, 143),
        (236, 196, 90),
        (121, 184, 255),
        (214, 160, 255),
        (102, 217, 232),
        (222, 226, 232),
    ],
)


def pictures(root: Path) -> list[Path]:
    """Write all pictures; returns their paths.

    Parameters
    ----------
    root
        The root of a clone in which the project is installed.
    """
    written = []
    for name, svg in draw(root).items():
        path = root / FOLDER / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(svg, encoding="utf-8", newline="\n")
        written.append(path)
    return written


def draw(root: Path) -> dict[str, str]:
    """Run the commands and return each picture by its file name."""
    with _scratch_clone(root) as clone:
        return {
            "grader-run.svg": _picture("grader run tests/demo_class --seed 1", clone, "An instructor grades a class"),
            "grader-check.svg": _picture("grader check", clone / _WORK, "A student checks their work"),
        }


@contextlib.contextmanager
def _scratch_clone(root: Path) -> Iterator[Path]:
    """Copy what the commands read, so that what they write harms nothing and no path of this machine shows."""
    with tempfile.TemporaryDirectory() as folder:
        clone = Path(folder)
        # Without what tools have left there.
        shutil.copytree(root / _DEMO, clone / _DEMO, ignore=shutil.ignore_patterns(".*", "__pycache__"))
        with zipfile.ZipFile(root / _DEMO / f"{_WORK}.zip") as archive:
            for member in archive.namelist():
                if not member.startswith("__MACOSX"):
                    target = clone / _WORK / Path(member).name
                    target.parent.mkdir(exist_ok=True)
                    target.write_bytes(archive.read(member))
        yield clone


def _picture(command: str, folder: Path, title: str) -> str:
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), color_system="truecolor", force_terminal=True)
    console.print(Text.assemble(("$ ", "dim"), (command, "bold")))
    console.print(_output(command, folder))
    svg = console.export_svg(title=title, theme=_THEME, unique_id="terminal")
    svg = re.sub(r"\s*@font-face \{.*?\}", "", svg, flags=re.DOTALL)
    lines = svg.replace("Fira Code, monospace", _FONTS).splitlines()
    return "\n".join(line.rstrip() for line in lines if line.strip()) + "\n"


def _output(command: str, folder: Path) -> Text:
    """Run the installed command in this process and return what it prints on a terminal."""
    name, *arguments = shlex.split(command)
    (script,) = importlib.metadata.entry_points(group="console_scripts", name=name)
    main = script.load()
    # A terminal of our width with colours, on which nothing moves.
    terminal = {
        "COLUMNS": str(COLUMNS),
        "FORCE_COLOR": "1",
        "TERM": "xterm-256color",
        "TTY_INTERACTIVE": "0",
        "LANGUAGE": "en",
    }
    with contextlib.ExitStack() as stack:
        stack.enter_context(mock.patch.dict(os.environ, terminal))
        os.environ.pop("NO_COLOR", None)
        stack.enter_context(mock.patch.object(sys, "argv", [name, *arguments]))
        stack.enter_context(contextlib.chdir(folder))
        output = stack.enter_context(contextlib.redirect_stdout(io.StringIO()))
        try:
            main()
        except SystemExit as ended:
            if ended.code not in (None, 0, 1):
                raise RuntimeError(f"{command} ended with {ended.code}") from None
    printed = re.sub(r"\x1b\[\?25(l|h\n?)", "", output.getvalue())  # the cursor, hidden and shown again
    return Text.from_ansi("\n".join(line.rstrip() for line in printed.splitlines()))


if __name__ == "__main__":
    for path in pictures(Path(__file__).resolve().parents[2]):
        print(path)
