"""`grader author new`: write everything that an exercise needs, with a TODO wherever an author has to decide.

What is written is valid as it stands, so that every TODO can be replaced and checked on its own.
"""

from __future__ import annotations

import ast
import builtins
import keyword
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from lesson.course import Course

_ID = re.compile(r"[a-z][a-z0-9_]*")
_TARGET = re.compile(r"^\((\w+)\)=$")
# The one check that an exercise begins with.
_CHECK = "values"


class CannotAdd(ValueError):
    """An exercise that cannot be added; says why and what to do."""


@dataclass(frozen=True)
class NewExercise:
    """What `grader author new` is asked for.

    Attributes
    ----------
    functions
        Names of the functions to be graded, in the order in which they are written.
    """

    id: str
    topic: str
    functions: tuple[str, ...]

    @property
    def heading(self) -> str:
        """What its section and its check module are called: "Step 8" for step8."""
        return re.sub(r"(?<=[a-z])(?=\d)", " ", self.id).capitalize()


def add_exercise(root: Path, course: Course, new: NewExercise) -> list[Path]:
    """Write the parts of an exercise; returns the files that were written or changed.

    Parameters
    ----------
    root
        Of a clone, whose `lesson/course.toml` is the course.

    Raises
    ------
    CannotAdd
        When the exercise does not go with the course; nothing is written then.
    """
    _refuse_misfits(root, course, new)
    texts = dict(_texts(root, course, new))
    for path, text in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return list(texts)


def _refuse_misfits(root: Path, course: Course, new: NewExercise) -> None:
    topics = [topic.id for topic in course.topics]
    if not _ID.fullmatch(new.id):
        raise CannotAdd(f"{new.id!r} cannot be an id; use lower-case letters, digits and _, such as step8.")
    if new.id in [exercise.id for exercise in course.exercises]:
        raise CannotAdd(f"There is an exercise {new.id} already; choose another id.")
    if new.id in topics:
        raise CannotAdd(f"There is a topic {new.id}; choose another id.")
    if new.topic not in topics:
        raise CannotAdd(f"There is no topic {new.topic!r}; the course has {', '.join(topics)}.")
    earlier = course.of_topic(new.topic)
    if not earlier or any(exercise.requires for exercise in earlier):
        raise CannotAdd(
            f"{new.topic} has no exercise that needs NumPy only and could serve as a pattern; write this one by hand."
        )
    for path in _own_files(root, new):
        if path.exists():
            raise CannotAdd(f"{path.relative_to(root)} exists already; remove it or choose another id.")
    if not new.functions:
        raise CannotAdd("An exercise needs a function to grade; name one with --functions.")
    taken = _taken_names(root, course)
    for index, name in enumerate(new.functions):
        if not name.isidentifier() or keyword.iskeyword(name) or name.startswith("_"):
            raise CannotAdd(f"{name!r} cannot be the name of a graded function; use a public Python identifier.")
        if name in new.functions[:index]:
            raise CannotAdd(f"{name} is named twice in --functions.")
        if name in taken:
            raise CannotAdd(f"The name {name} is taken by {taken[name]}; choose another one.")


def _taken_names(root: Path, course: Course) -> dict[str, str]:
    """Return the names that a graded function must not have, and what has them.

    Submissions are searched for functions by their name alone, so a name must be the only one in all solutions.
    """
    taken = dict.fromkeys(vars(builtins), "Python itself")
    for topic in course.topics:
        path = root / "solutions" / f"{topic.id}.py"
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            taken |= dict.fromkeys(_defined(node), path.relative_to(root).as_posix())
    return taken


def _defined(node: ast.stmt) -> list[str]:
    match node:
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            return [name]
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            return [(alias.asname or alias.name).partition(".")[0] for alias in names]
        case ast.Assign(targets=targets):
            return [target.id for target in targets if isinstance(target, ast.Name)]
        case ast.AnnAssign(target=ast.Name(id=name)):
            return [name]
        case _:
            return []


def _own_files(root: Path, new: NewExercise) -> tuple[Path, Path, Path]:
    """Return the check module, the wrong answer and the right one."""
    tests = root / "tests"
    return (
        root / "grader" / "checks" / f"test_{new.id}.py",
        tests / "wrong_answers" / new.id / "one_too_many.py",
        tests / "right_answers" / new.id / "counted_one_by_one.py",
    )


def _texts(root: Path, course: Course, new: NewExercise) -> Iterator[tuple[Path, str]]:
    """Yield every file with its new text."""
    path = root / "lesson" / "course.toml"
    yield path, _with_entry(path.read_text(encoding="utf-8"), course, new)
    path = root / "solutions" / f"{new.topic}.py"
    yield path, _with_reference(path.read_text(encoding="utf-8"), course, new)
    path = _drawing_module(root, course, new)
    yield path, _with_drawer(path.read_text(encoding="utf-8"), new)
    for path in sorted((root / "lesson" / "text").glob(f"*/{new.topic}.md")):
        yield path, _with_section(path.read_text(encoding="utf-8"), course, new)
    checks, wrong, right = _own_files(root, new)
    yield checks, _CHECKS.format(new=new, check=_CHECK)
    yield wrong, _WRONG.format(new=new, check=_CHECK, function=new.functions[0])
    functions = (f"\n\ndef {name}(n):\n    return sum(1 for _ in range(n))\n" for name in new.functions)
    yield right, f'"""TODO {new.id}: what is unusual about it; name the file after it."""\n{"".join(functions)}'


def _with_entry(text: str, course: Course, new: NewExercise) -> str:
    """Return the course file with an entry behind the last exercise of the topic."""
    lines = text.splitlines()
    starts = [number for number, line in enumerate(lines) if line.strip() == "[[exercise]]"]
    last = max(index for index, exercise in enumerate(course.exercises) if exercise.topic == new.topic)
    end = starts[last + 1] if last + 1 < len(starts) else len(lines)
    entry = _ENTRY.format(new=new, check=_CHECK, functions=_listed(new.functions))
    # Each entry but the last of the file is followed by an empty line.
    entry = f"{entry}\n" if end < len(lines) else f"\n{entry}"
    return _inserted(lines, end, entry)


def _with_reference(text: str, course: Course, new: NewExercise) -> str:
    """Return a solution with the functions behind the last graded one."""
    graded = {name for exercise in course.of_topic(new.topic) for name in exercise.functions}
    nodes = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef) and node.name in graded]
    end = max(node.end_lineno or 0 for node in nodes)
    functions = "".join(_REFERENCE.format(new=new, function=name) for name in new.functions)
    return _inserted(text.splitlines(), end, functions)


def _drawing_module(root: Path, course: Course, new: NewExercise) -> Path:
    """Return the module that draws cases for the topic's last exercise."""
    last = course.of_topic(new.topic)[-1].id
    for path in sorted((root / "grader" / "cases" / "drawing").glob("*.py")):
        table = _drawers(path.read_text(encoding="utf-8"))
        if table is not None and last in _keys(table[1]):
            return path
    raise CannotAdd(f"No module in grader/cases/drawing has {last} in its DRAWERS.")


def _drawers(text: str) -> tuple[ast.stmt, ast.Dict] | None:
    """Return the statement that defines the table of drawers, and the table."""
    for node in ast.parse(text).body:
        match node:
            case ast.AnnAssign(target=ast.Name(id="DRAWERS"), value=ast.Dict() as table):
                return node, table
            case ast.Assign(targets=[ast.Name(id="DRAWERS")], value=ast.Dict() as table):
                return node, table
    return None


def _keys(table: ast.Dict) -> list[str]:
    return [key.value for key in table.keys if isinstance(key, ast.Constant) and isinstance(key.value, str)]


def _with_drawer(text: str, new: NewExercise) -> str:
    """Return a module of drawers with one more, and its entry in the table."""
    found = _drawers(text)
    assert found is not None, "this module was chosen because it has a table"
    node, table = found
    lines = text.splitlines()
    head = lines[node.lineno - 1].partition("{")[0]
    drawers = dict(zip(_keys(table), map(ast.unparse, table.values), strict=True)) | {new.id: f"_{new.id}"}
    entries = "".join(f'    "{name}": {drawer},\n' for name, drawer in drawers.items())
    drawer = _DRAWER.format(new=new, check=_CHECK, functions=_listed(new.functions))
    del lines[node.lineno - 1 : node.end_lineno]
    return _inserted(lines, node.lineno - 1, f"{drawer}\n\n{head}{{\n{entries}}}\n")


def _with_section(text: str, course: Course, new: NewExercise) -> str:
    """Return a page of text with a section behind that of the topic's last exercise."""
    lines = text.splitlines()
    exercises = {exercise.id for exercise in course.exercises}
    targets = [number for number, line in enumerate(lines) if (m := _TARGET.match(line)) and m[1] in exercises]
    sections = [number for number in _section_starts(lines) if number > targets[-1] + 1]
    end = sections[0] if sections else len(lines)
    section = _SECTION.format(new=new, functions=" ".join(new.functions))
    section = f"{section}\n" if sections else f"\n{section}"
    return _inserted(lines, end, section)


def _section_starts(lines: Sequence[str]) -> Iterator[int]:
    """Yield the place of each second-level heading, or of the target above it."""
    fenced = False
    for number, line in enumerate(lines):
        if line.startswith("```"):
            fenced = not fenced
        elif line.startswith("## ") and not fenced:
            yield number - 1 if number and _TARGET.match(lines[number - 1]) else number


def _listed(names: Sequence[str]) -> str:
    """Write names as strings with commas between them, as both Python and TOML have them in a list."""
    return ", ".join(f'"{name}"' for name in names)


def _inserted(lines: Sequence[str], place: int, block: str) -> str:
    return "\n".join([*lines[:place], *block.splitlines(), *lines[place:]]) + "\n"


_ENTRY = """\
[[exercise]]
id = "{new.id}"
topic = "{new.topic}"
title = "TODO {new.id}: what the student builds, in a few words"
functions = [{functions}]
builds_on = []
bonus = true  # TODO {new.id}: on top of the others; or take points from other checks and delete this line
hints = [
  "TODO {new.id}: a nudge.",
  "TODO {new.id}: the way.",
  "TODO {new.id}: nearly the answer.",
]
checks = [
  {{ id = "{check}", points = 1, title = "TODO {new.id}: the claim that is checked" }},
]
"""

_REFERENCE = '''

def {function}(n: int) -> int:
    """TODO {new.id}: say in one sentence what it does; students get signature and docstring.

    Parameters
    ----------
    n : int

    Returns
    -------
    int
    """
    # TODO {new.id}: the reference solution.
    return n
'''

_DRAWER = """\
def _{new.id}(rng: np.random.Generator, reference: Reference) -> Groups:
    # TODO {new.id}: draw the arguments from ranges that real models have, and special cases beside them.
    numbers = [int(number) for number in rng.integers(1, 100, 5)]
    functions = [{functions}]
    return {{"{check}": [Case(name, {{"n": n}}, reference[name](n)) for name in functions for n in numbers]}}
"""

_SECTION = """\
({new.id})=
## {new.heading} · TODO {new.id}: the title

TODO {new.id}: why this matters, and what the student needs to know.

**Your turn.** TODO {new.id}: what to write.

```{{stub}} {functions}
```

```{{hint}} {new.id}
```

```{{check}} {new.id}
```
"""

_CHECKS = '''\
"""{new.heading}: TODO {new.id}: what it is about."""

from grader.checks.claims import CasesOf, agree
from grader.student.handle import Student


def test_{check}(student: Student, case: CasesOf) -> None:
    # TODO {new.id}: name the mistakes that the numbers give away, as other modules here do.
    agree(student, case("{check}"))
'''

_WRONG = '''\
"""TODO {new.id}: the mistake; name the file after it."""
# loses: {new.id}.{check}


def {function}(n):
    return n + 1
'''
