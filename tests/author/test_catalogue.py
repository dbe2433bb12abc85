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
# Everything is scanned but what no student reads, or what is no sentence.
UNSCANNED = {
    "author": "authors read it",
    "checks/conftest.py": "speaks on pytest's terminal, in English as pytest does",
    "checks/pytest_option.py": "the same",
    "checks/scripts.py": "source code for `grader replay`",
    "classroom": "instructors read it",
    "commands": "help and complaints of the command line are in English everywhere",
    "isolation": "why a process could not be sealed or has ended: for the instructor",
    "student": "the same; what a call came to is told in checks/explaining.py",
    "worker": "runs beside student code and sends no sentences but those of the student's own errors",
}
GRADER = ROOT / "grader"
SCANNED = [
    path
    for path in sorted(GRADER.rglob("*.py"))
    if not any(path.is_relative_to(GRADER / unscanned) for unscanned in UNSCANNED)
]
TRANSLATING = {"_", "ngettext"}
# What only programmers read.
PROGRAMMING_ERRORS = {"AssertionError", "KeyError", "LookupError", "NotImplementedError", "TypeError", "ValueError"}
SENTENCE = re.compile(r"[^\W\d_].* | .*[^\W\d_]")
# HTML, whole or cut by what is inserted into it.
MARKUP = re.compile(r'</?[a-z][^<>]*(>|$)|^[^<>]*">')
# Text with spaces that is no sentence for students.
OTHER_TEXT = {
    "cases/case.py": ["no answer"],  # a value for programs
    # Columns as the systems that read them spell them.
    "formats/gradebook.py": [
        "SIS User ID",
        "SIS Login ID",
        "    Points Possible",
        "Participant[ _](?P<number>\\d+)",
        "Participant ",
        "Full name",
        "ID number",
        "Email address",
        "Maximum grade",
        "Last modified (grade)",
        "Feedback comments",
    ],
    "formats/gradescope_export.py": ["from grader.commands.main import main; main()"],
    "formats/html.py": ["pip install 'checkpointing-course[instructor]'"],
    "formats/registry.py": ["Left out, because there is no score: "],  # for the instructor
    "tree.py": ["File | dict[str, _Branch]", " is not to be read"],  # a type, and a fault that is caught
    "formats/results_json.py": [',\n "submissions": ['],
    "formats/terminal.py": ["bold cyan", "bold magenta"],  # styles
    "grading.py": [  # for the instructor
        "cacheprovider debugging doctest faulthandler junitxml logging pastebin stepwise terminal threadexception "
        "unraisableexception warnings",
        "pytest could not collect the checks: ",
        "it ended with ",
    ],
    "notebook.py": [
        "display:grid; grid-template-columns:max-content minmax(0, 1fr); gap:0 .8em; margin:.1em 0 .4em 1.2em",
        "border-left:4px solid ",
        "; padding:.2em .8em; margin:.2em 0; line-height:1.45",
    ],
    "page/build.py": [" --hash=sha256:"],
    "page/server.py": ["public, max-age=31536000, immutable"],
}


def sentences_outside(source: str) -> list[str]:
    """Return the strings of a module that look like sentences and are not looked up in the catalogue."""
    return [text for text in _texts(ast.parse(source)) if SENTENCE.search(MARKUP.sub("", text))]


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
        case ast.ClassDef(bases=[ast.Name(id="StrEnum")], body=body):
            # Its values are for programs; words.py has names for people.
            for child in body:
                if not isinstance(child, ast.Assign):
                    yield from _texts(child)
        case ast.AnnAssign(value=value) if value is not None:
            yield from _texts(value)
        case ast.arg():
            return  # annotations
        case _:
            for child in ast.iter_child_nodes(node):
                yield from _texts(child)


def test_every_exception_is_there() -> None:
    assert all((GRADER / unscanned).exists() for unscanned in UNSCANNED)
    assert {GRADER / name for name in OTHER_TEXT} <= set(SCANNED)


@pytest.mark.parametrize("path", SCANNED, ids=lambda path: path.relative_to(GRADER).as_posix())
def test_no_sentence_for_students_is_outside_the_catalogue(path: Path) -> None:
    found = sentences_outside(path.read_text(encoding="utf-8"))
    assert set(found) == set(OTHER_TEXT.get(path.relative_to(GRADER).as_posix(), ()))


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
        'class Word(Enum): DONE = "well done"',
        'parts = [f"<div>Still to be written: {function}</div>"]',
        'text = "at < 3 arrays it is right"',
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
        'class State(StrEnum): DONE = "well done"',
        'html = f\'<a id="{name}" class="x">{joined}</a> · <b style="color: red">\'',
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
