"""Every sentence that a student can see goes through the catalogue, so that a translation needs no code."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.author.catalogue import catalogue
from lesson.course import load_course

ROOT = Path(__file__).parents[2]
SCANNED = [
    *sorted((ROOT / "grader" / "checks").glob("*.py")),
    *(
        ROOT / "grader" / name
        for name in (
            "grading.py",
            "files.py",
            "formats/terminal.py",
            "formats/student_view.py",
            "formats/gradescope.py",
        )
    ),
]
TRANSLATING = {"_", "ngettext"}
# What only programmers read.
PROGRAMMING_ERRORS = {"AssertionError", "KeyError", "LookupError", "NotImplementedError", "TypeError", "ValueError"}
SENTENCE = re.compile(r"[^\W\d_].* | .*[^\W\d_]")
# Text with spaces that no student reads.
OTHER_TEXT = {
    ("grading.py", "the test ended before all its checks"),  # for the instructor: Feedback.hidden
    ("grading.py", "the test was "),  # the same
    ("terminal.py", "bold cyan"),  # styles
    ("terminal.py", "bold magenta"),
}


def sentences_outside(source: str) -> list[str]:
    """Return the strings of a module that look like sentences and are not looked up in the catalogue."""
    return [text for text in _texts(ast.parse(source)) if SENTENCE.search(text)]


def _texts(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Constant(value=str(text)):
            yield text
        case ast.Expr(value=ast.Constant(value=str())):
            return  # a docstring
        case ast.Call(func=ast.Name(id=name), args=args) if name in TRANSLATING:
            # What is looked up has to stand there as it is; a computed text is in no catalogue.
            for arg in args:
                if not isinstance(arg, ast.Constant):
                    yield from _texts(arg)
        case ast.Call(func=ast.Attribute(value=value, attr="startswith" | "endswith" | "removeprefix")):
            yield from _texts(value)
        case ast.Compare(left=left, comparators=others):
            for side in (left, *others):
                if not isinstance(side, ast.Constant):
                    yield from _texts(side)
        case ast.Raise(exc=ast.Call(func=ast.Name(id=name))) if name in PROGRAMMING_ERRORS:
            return
        case ast.AnnAssign(value=value) if value is not None:
            yield from _texts(value)
        case ast.arg():
            return  # annotations
        case _:
            for child in ast.iter_child_nodes(node):
                yield from _texts(child)


def test_the_files_to_scan_are_there() -> None:
    assert len(SCANNED) > 10
    assert all(path.is_file() for path in SCANNED)


@pytest.mark.parametrize("path", SCANNED, ids=lambda path: path.name)
def test_no_sentence_for_students_is_outside_the_catalogue(path: Path) -> None:
    found = sentences_outside(path.read_text(encoding="utf-8"))
    assert [text for text in found if (path.name, text) not in OTHER_TEXT] == []


def test_no_exception_is_listed_in_vain() -> None:
    found = {(path.name, text) for path in SCANNED for text in sentences_outside(path.read_text(encoding="utf-8"))}
    assert found >= OTHER_TEXT


@pytest.mark.parametrize(
    "line",
    [
        'got = "The bias is missing."',
        "got = f'{count} arrays are alive'",
        'return Feedback(function, "This is still the stub.")',
        'claim(holds, case, "too many arrays")',
        '_(f"{count} arrays are alive")',
        '_("The bias " + name)',
        '_("{count} arrays").format(count="more than three")',
        'raise Refused("The archive is encrypted.")',
        'table = {State.PASSED: "well done"}',
    ],
)
def test_a_planted_sentence_is_found(line: str) -> None:
    source = f'"""A module."""\n\n\ndef check(function, count, name):\n    """Check something."""\n    {line}\n'
    assert sentences_outside(source) != []


@pytest.mark.parametrize(
    "line",
    [
        'got = _("The bias is missing.")',
        'got = _("{count} arrays are alive").format(count=count)',
        'got = ngettext("{count} array is alive", "{count} arrays are alive", count)',
        'raise LookupError(f"there is no check {name}")',
        'style: "list of str" = "red"',
        'where = f"{name}[{count}]: "',
        'joined = ", ".join(names)',
        'found = {"key": "value"}',
        'found = name.startswith("array of ") or name == "not attempted"',
    ],
)
def test_nothing_else_is_taken_for_one(line: str) -> None:
    source = (
        f'"""A module of words."""\n\n\ndef check(function, count, name):\n    """Check something."""\n    {line}\n'
    )
    assert sentences_outside(source) == []


def test_the_catalogue_is_current() -> None:
    written = (ROOT / "grader" / "locale" / "grader.pot").read_bytes()
    current = written == catalogue(ROOT, load_course())
    assert current, "run `grader author build`"


def test_the_catalogue_holds_code_and_course() -> None:
    text = (ROOT / "grader" / "locale" / "grader.pot").read_text(encoding="utf-8")
    course = load_course()
    for sentence in (course.title, course.exercises[0].title, "The bias is missing: this is x @ w without + b."):
        assert f'"{sentence}"' in text
