"""Read the code of a notebook: its code cells, in order. Outputs and metadata are never looked at.

What Jupyter adds to Python is dropped: line magics, `!` and `?` lines, and cell magics with their body. Where a magic
runs Python, that is kept: the body of `%%time` and the like, the statement after `%time`, the file that `%run` names.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

_CELL_MAGIC = re.compile(r"%%(\w+)")
_KEPT_MAGICS = frozenset({"time", "timeit", "capture", "prun", "memit", "snakeviz", "scalene"})
_TIMED = re.compile(r"\s*%(?:time|prun|memit)\s+(\S.*)")
_RUN = re.compile(r"\s*%run\s+(?:-\w+\s+)*(\"[^\"]+\"|'[^']+'|\S+)")
# What `%run` becomes: a call of a function of this name, which is in the namespace of a notebook.
RUN_FILE = "__run_file__"
# `%magic`, `!command` and `?help` at the start of a statement, `help?` and `help??` at its end, and what is assigned.
_NOT_PYTHON = re.compile(r"\s*+(?:[%!?].*|[\w.*]+\?{1,2}\s*|[\w\s,.*\[\]]+=\s*(?:!|%[a-zA-Z]).*)$")
_TOKEN = re.compile(r'"""|\'\'\'|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|#.*|[()\[\]{}]|\\$')


class NotANotebook(ValueError):
    """Bytes that are not a notebook we can read; `reason` is "json", "old", "new" or "shape"."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True)
class Cell:
    """A code cell.

    Attributes
    ----------
    number
        Among the code cells, from 1: what stands in its brackets after "restart and run all".
    source
        Python, line for line where the cell has it; what is not Python is replaced by `pass`.
    """

    number: int
    source: str

    def parse(self) -> list[ast.stmt]:
        """Return the statements; raises as `ast.parse`."""
        return ast.parse(self.source).body


def read_cells(data: bytes) -> list[Cell]:
    """Return the code cells of a notebook in format 4.

    Raises
    ------
    NotANotebook
        When the bytes are not a notebook.
    """
    return [Cell(number, to_python(source)) for number, source in enumerate(_sources(load_notebook(data)), 1)]


def load_notebook(data: bytes) -> dict[str, Any]:
    """Return the JSON object of a notebook in format 4; raises as `read_cells`."""
    try:
        notebook = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        raise NotANotebook("json") from None
    if not isinstance(notebook, dict):
        raise NotANotebook("shape")
    version = notebook.get("nbformat", 4)
    if not isinstance(version, int) or not isinstance(notebook.get("cells", []), list):
        raise NotANotebook("shape")
    if version < 4 or "worksheets" in notebook:
        raise NotANotebook("old")
    if version > 4:
        raise NotANotebook("new")
    if "cells" not in notebook:
        raise NotANotebook("shape")
    return notebook


def _sources(notebook: dict[str, Any]) -> Iterator[str]:
    for cell in notebook["cells"]:
        if isinstance(cell, dict) and cell.get("cell_type") == "code":
            source = cell.get("source", "")
            lines = source if isinstance(source, list) else [source]
            yield "".join(line for line in lines if isinstance(line, str))


def to_python(source: str) -> str:
    """Return a cell's source without what only Jupyter understands; every line stays where it is."""
    lines = source.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    first = next((index for index, line in enumerate(lines) if line.strip()), None)
    if first is None:
        return ""
    magic = _CELL_MAGIC.match(lines[first])
    if magic:
        if magic[1] not in _KEPT_MAGICS:
            return ""
        lines[first] = ""
    indent = re.match(r"[ \t]*", next((line for line in lines if line.strip()), ""))
    if indent and indent[0]:  # Jupyter too takes away the indentation of a cell whose first line has one.
        lines = [line.removeprefix(indent[0]) for line in lines]
    try:
        ast.parse("\n".join(lines))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        lines = _without_magics(lines)
    return "\n".join(lines)


def _without_magics(lines: list[str]) -> list[str]:
    """Replace what is not Python by `pass`, where a statement can begin: not inside brackets or strings."""
    kept = []
    depth, quote, goes_on, dropping = 0, "", False, False
    for line in lines:
        begins = not (depth or quote or goes_on)
        if dropping or (begins and _NOT_PYTHON.match(line)):
            kept.append("" if dropping else line[: len(line) - len(line.lstrip())] + _python_of(line))
            dropping = line.rstrip().endswith("\\")
            continue
        kept.append(line)
        depth, quote, goes_on = _state_after(line, depth, quote)
    return kept


def _python_of(line: str) -> str:
    """Return the Python that a line for Jupyter runs."""
    timed = _TIMED.match(line)
    if timed:
        try:
            ast.parse(timed[1])
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return "pass"
        return timed[1]
    run = _RUN.match(line)
    return f"{RUN_FILE}({run[1].strip(chr(34) + chr(39))!r})" if run else "pass"


def _state_after(line: str, depth: int, quote: str) -> tuple[int, str, bool]:
    """Return the open brackets, the open triple quote and whether the line is continued."""
    position, goes_on = 0, False
    while position < len(line):
        if quote:
            end = line.find(quote, position)
            while end > 0 and line[end - 1] == "\\":
                end = line.find(quote, end + 1)
            if end < 0:
                return depth, quote, False
            position, quote = end + 3, ""
            continue
        token = _TOKEN.search(line, position)
        if token is None:
            break
        position = token.end()
        match token[0]:
            case '"""' | "'''":
                quote = token[0]
            case "(" | "[" | "{":
                depth += 1
            case ")" | "]" | "}":
                depth = max(0, depth - 1)
            case "\\":
                goes_on = True
    return depth, quote, goes_on
