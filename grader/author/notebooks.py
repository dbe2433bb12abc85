"""Build a topic's notebook from its page of text and its skeleton.

The text is Markdown with a few directives (see CONTRIBUTING.md). What it says about an exercise that the course does
not have yet is left out, and so are links to pages that there are not.
"""

from __future__ import annotations

import ast
import base64
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html import escape
from typing import Any

from grader.author.diagrams import diagrams
from lesson.course import Course, Exercise, Topic

_FRONT_MATTER = re.compile(r"\A---\n(.*?)\n---\n", re.DOTALL)
_DIRECTIVE = re.compile(r"\{([\w-]+)\}\s*(.*)")
_TARGET = re.compile(r"\(([\w-]+)\)=\s*")
_LINK = re.compile(r"\[([^\]]+)\]\((?=\w+\.md|#)(?:(\w+)\.md)?(#[\w-]+)?\)")

_KERNEL = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
# nbgrader replaces what stands between these two lines when it makes the students' version.
_BEGIN, _END = "### BEGIN SOLUTION", "### END SOLUTION"


class TextError(ValueError):
    """A page of text that cannot be built; says where and why."""


@dataclass(frozen=True)
class Block:
    """A piece of a page.

    Attributes
    ----------
    kind
        "text", "heading" or the name of a directive.
    argument
        What stands behind a directive's name.
    content
        The Markdown, or what stands inside the directive.
    """

    kind: str
    argument: str
    content: str


@dataclass
class Section:
    """What stands under one second-level heading; the first has none."""

    id: str
    blocks: list[Block] = field(default_factory=list)

    def named(self, kind: str) -> Iterator[str]:
        """Yield every word behind the directives of a kind."""
        for block in self.blocks:
            if block.kind == kind:
                yield from block.argument.split()


def notebook(text: str, skeleton: str, course: Course, topic: Topic) -> str:
    """Return the notebook of a topic as JSON, the same for the same input.

    Parameters
    ----------
    text
        The topic's page.
    skeleton
        The source of the topic's module for students.
    """
    import nbformat

    cells = _Cells(course, topic, skeleton)
    for section in _sections(text, topic.id):
        if _is_in_course(section, course):
            cells.add(section)
    made = nbformat.v4.new_notebook(cells=cells.finished(), metadata=_KERNEL)
    made.nbformat_minor = 5
    nbformat.validate(made)
    return f"{nbformat.writes(made)}\n"


def _sections(text: str, name: str) -> Iterator[Section]:
    match = _FRONT_MATTER.match(text)
    title = re.search(r'^title: *"?(.*?)"?$', match[1], re.MULTILINE) if match else None
    if match is None or title is None:
        raise TextError(f"{name}.md has no title in its front matter")
    section = Section("intro", [Block("heading", "1", f"# {title[1]}")])
    target = ""
    for block in _blocks(text[match.end() :]):
        if block.kind == "target":
            target = block.argument
            continue
        if block.kind == "heading" and block.argument == "2":
            yield section
            heading = block.content.lstrip("# ")
            section = Section(target or re.sub(r"\W+", "-", heading.lower()).strip("-")[:40])
            target = ""
        section.blocks.append(block)
    yield section


def _blocks(text: str) -> Iterator[Block]:
    from markdown_it import MarkdownIt

    lines = text.splitlines()
    for token in MarkdownIt("commonmark").enable("table").parse(text):
        if token.level or token.map is None:
            continue
        source = "\n".join(lines[slice(*token.map)]).strip("\n")
        directive = _DIRECTIVE.fullmatch(token.info) if token.type == "fence" else None
        target = _TARGET.fullmatch(source) if token.type == "paragraph_open" else None
        if directive:
            yield Block(directive[1], directive[2].strip(), token.content.strip("\n"))
        elif target:
            yield Block("target", target[1], "")
        elif token.type == "heading_open":
            yield Block("heading", token.tag[1:], source)
        else:
            yield Block("text", "", source)


def _is_in_course(section: Section, course: Course) -> bool:
    exercises = {exercise.id for exercise in course.exercises}
    named = {*section.named("check"), *section.named("hint")}
    return named <= exercises and set(section.named("stub")) <= set(course.functions)


class _Cells:
    """Collects the cells of one notebook."""

    def __init__(self, course: Course, topic: Topic, skeleton: str) -> None:
        self._course = course
        self._topic = topic
        exercises = course.of_topic(topic.id)
        graded = {name for exercise in exercises for name in exercise.functions}
        self._skeleton = _Skeleton(skeleton, graded, {exercise.text for exercise in exercises if exercise.text})
        self._pages = {known.id for known in course.topics}
        self._diagrams = diagrams()
        self._cells: list[Any] = []
        self._prose: list[str] = []
        self._section = ""
        self._counts: dict[str, int] = {}
        self._set_up = False
        self._stubs: set[str] = set()

    def add(self, section: Section) -> None:
        """Add the cells of a section."""
        self._section = section.id
        for block in section.blocks:
            self._block(block)
        self._flush()

    def finished(self) -> list[Any]:
        """Return all cells."""
        missing = {name for e in self._course.of_topic(self._topic.id) for name in e.functions} - self._stubs
        if missing:
            raise TextError(f"{self._topic.id}.md has no stub of {', '.join(sorted(missing))}")
        unmentioned = self._skeleton.take_given()
        if unmentioned:
            self._code("given", unmentioned, _nbgrader("given", locked=True), "given")
            self._cells.insert(1 + [cell.id for cell in self._cells].index("setup"), self._cells.pop())
        return self._cells

    def _block(self, block: Block) -> None:
        match block.kind:
            case "heading":
                self._flush()
                anchor = f'<a id="{self._section}"></a>\n\n' if block.argument == "2" else ""
                self._prose.append(anchor + self._linked(block.content))
            case "text":
                self._prose.append(self._linked(block.content))
            case "dropdown":
                summary = _inline(block.argument)
                self._prose.append(
                    f"<details>\n<summary>{summary}</summary>\n\n{self._linked(block.content)}\n\n</details>"
                )
            case "admonition":
                lines = [f"**{block.argument}**", "", *self._linked(block.content).splitlines()]
                self._prose.append("\n".join(f"> {line}".rstrip() for line in lines))
            case "diagram":
                self._prose.append(self._picture(block.argument, block.content))
            case "code-cell":
                self._given(block.content)
                self._code("code", block.content)
            case "stub":
                for name in block.argument.split():
                    self._stub(name)
            case "hint":
                if name := self._course.exercise(block.argument).text:
                    self._code("string", self._skeleton.text(name))
                self._code("hint", _HINT.format(exercise=block.argument))
            case "check":
                self._check(self._course.exercise(block.argument))
            case "figure-cell":
                name, *functions = block.argument.split()
                self._code("figure", f"from lesson.figures import {name}\n\n{name}({', '.join(functions)})")
            case _:
                raise TextError(f"{self._topic.id}.md has an unknown directive {block.kind!r}")

    def _flush(self) -> None:
        if self._prose:
            self._append("markdown", self._name("text"), "\n\n".join(self._prose))
            self._prose = []

    def _code(self, role: str, source: str, nbgrader: dict[str, Any] | None = None, cell_id: str = "") -> None:
        self._flush()
        if not self._set_up:
            # Before the first code of the page.
            self._set_up = True
            self._append("code", "setup", self._skeleton.setup(), _nbgrader("setup", locked=True))
        self._append("code", cell_id or self._name(role), source, nbgrader)

    def _given(self, code: str) -> None:
        """Add what is given to the student before the first code that uses it."""
        source = self._skeleton.take_given(code)
        if source:
            self._code("given", source, _nbgrader(f"{self._section}-given", locked=True))

    def _stub(self, name: str) -> None:
        source = self._skeleton.stub(name)
        self._given(source)
        self._stubs.add(name)
        cell_id = f"{self._section}-{name}"
        self._code("stub", source, _nbgrader(cell_id, solution=True), cell_id)

    def _check(self, exercise: Exercise) -> None:
        cell_id = f"{exercise.id}-check"
        metadata = _nbgrader(cell_id, grade=True, locked=True, points=exercise.points)
        self._code("check", f'check("{exercise.id}").points', metadata, cell_id)

    def _name(self, role: str) -> str:
        """Return a cell id from section and role; a second cell of the same role gets a number."""
        name = f"{self._section}-{role}"[:60]
        self._counts[name] = count = self._counts.get(name, 0) + 1
        return name if count == 1 else f"{name}-{count}"

    def _append(self, kind: str, cell_id: str, source: str, nbgrader: dict[str, Any] | None = None) -> None:
        from nbformat import v4

        make = v4.new_code_cell if kind == "code" else v4.new_markdown_cell
        self._cells.append(make(source, id=cell_id, metadata={"nbgrader": nbgrader} if nbgrader else {}))

    def _linked(self, markdown: str) -> str:
        """Let links to pages lead to notebooks, and drop those that lead nowhere."""
        exercises = {exercise.id for exercise in self._course.exercises}

        def link(match: re.Match[str]) -> str:
            text, page, anchor = match.groups()
            known = page is None or page in self._pages
            known = known and (anchor is None or anchor[1:] in exercises)
            return f"[{text}]({f'{page}.ipynb' if page else ''}{anchor or ''})" if known else text

        return _LINK.sub(link, markdown)

    def _picture(self, name: str, caption: str) -> str:
        if name not in self._diagrams:
            raise TextError(f"{self._topic.id}.md has an unknown diagram {name!r}")
        data = base64.b64encode(self._diagrams[name].encode()).decode()
        image = f'<img style="max-width:100%" alt="{escape(caption, quote=True)}"'
        return f'{image} src="data:image/svg+xml;base64,{data}">\n\n*{caption}*'


_HINT = """\
# Stuck? Take away the # below and run this cell: one more hint each time.
# hint("{exercise}")"""

_SETUP = """\
# Run this cell first. If it cannot find `grader`, run `%pip install` with the wheel that came with this notebook.
"""


class _Skeleton:
    """The parts of a skeleton module."""

    def __init__(self, source: str, graded: set[str], texts: set[str]) -> None:
        self._lines = source.splitlines()
        self._stubs: dict[str, ast.stmt] = {}
        self._given: dict[str, ast.stmt] = {}
        self._setup: list[ast.stmt] = []
        self._texts: dict[str, ast.stmt] = {}
        for node in ast.parse(source).body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name in graded:
                self._stubs[node.name] = node
            elif isinstance(node, ast.FunctionDef | ast.ClassDef):
                self._given[node.name] = node
            elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) in texts:
                self._texts[ast.unparse(node.targets[0])] = node
            elif isinstance(node, ast.If):
                continue  # for the command line
            elif not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
                self._setup.append(node)

    def setup(self) -> str:
        """Return the imports and type aliases, and what the notebook itself offers."""
        imports = [node for node in self._setup if isinstance(node, ast.Import | ast.ImportFrom)]
        others = [node for node in self._setup if node not in imports]
        future = [node for node in imports if isinstance(node, ast.ImportFrom) and node.module == "__future__"]
        parts = [*map(self._source, (node for node in imports if node not in future)), ""]
        parts += ["from grader.notebook import check, hint", *([""] if others else []), *map(self._source, others)]
        return _SETUP + "\n".join([*map(self._source, future), *parts]).strip("\n")

    def stub(self, name: str) -> str:
        """Return a graded function with the marks that nbgrader looks for around its TODO."""
        if name not in self._stubs:
            raise TextError(f"the skeleton has no function {name}")
        lines = self._source(self._stubs[name]).splitlines()
        start = next(index for index, line in enumerate(lines) if line.lstrip().startswith("# TODO"))
        return "\n".join([*lines[:start], f"    {_BEGIN}", *lines[start:], f"    {_END}"])

    def text(self, name: str) -> str:
        """Return the string for a graded text, with room to write."""
        if name not in self._texts:
            raise TextError(f"the skeleton has no {name}")
        return self._source(self._texts[name]).replace('""', 'r"""\n\n"""')

    def take_given(self, code: str | None = None) -> str:
        """Return what is given, once, when some code or its docstring mentions a part of it; all of it by default."""
        if code is not None and not any(re.search(rf"\b{name}\b", code) for name in self._given):
            return ""
        taken = "\n\n\n".join(map(self._source, self._given.values()))
        self._given.clear()
        return taken

    def _source(self, node: ast.stmt) -> str:
        first = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", []))])
        while first > 1 and self._lines[first - 2].startswith("#"):
            first -= 1
        return "\n".join(self._lines[first - 1 : node.end_lineno])


def _inline(markdown: str) -> str:
    from markdown_it import MarkdownIt

    head, colon, rest = markdown.partition(":")
    html: str = MarkdownIt("commonmark").renderInline(rest.strip() if colon else markdown)
    return f"<strong>{escape(head)}:</strong> {html}" if colon else html


def _nbgrader(
    grade_id: str, *, grade: bool = False, solution: bool = False, locked: bool = False, points: int | None = None
) -> dict[str, Any]:
    """Return a cell's metadata for nbgrader, version 3: no other keys are allowed."""
    metadata = {
        "schema_version": 3,
        "grade": grade,
        "solution": solution,
        "locked": locked,
        "task": False,
        "grade_id": grade_id,
    }
    return metadata if points is None else {**metadata, "points": points}


def notebooks(texts: Mapping[str, str], skeletons: Mapping[str, str], course: Course) -> dict[str, str]:
    """Return the notebook of every topic that has a text, by the topic's id."""
    return {
        topic.id: notebook(texts[topic.id], skeletons[topic.id], course, topic)
        for topic in course.topics
        if topic.id in texts
    }
