"""What the README and its neighbours promise is there: commands, options, files, states and pictures."""

from __future__ import annotations

import re
import shlex
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from grader.author.pictures import FOLDER, draw
from grader.commands.main import app
from grader.formats.registry import Format
from grader.results import State
from grader.words import SYMBOLS, state_name
from lesson.course import load_course

ROOT = Path(__file__).parents[1]
PAGES = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "tests/demo_class/README.md"]
README = (ROOT / "README.md").read_text(encoding="utf-8")
FENCED = re.compile(r"^ *```\w*\n(.*?)^ *```", re.MULTILINE | re.DOTALL)
SET_UP = re.compile(r"^<!-- set-up: (\w+) -->\n```sh\n(.*)\n```$", re.MULTILINE)
# What students and instructors read. A number of points would be wrong as soon as the course moves one.
WITHOUT_POINTS = [
    *PAGES,
    "SECURITY.md",
    *sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "lesson" / "text").rglob("*.md")),
]
STATED_POINTS = re.compile(
    r"(?<![\d.])(?:\d+|\b(?:one|two|three|four|five|six|seven|eight|nine|ten))(?: bonus)? points?\b|\bpoints? each\b",
    re.IGNORECASE,
)
PICTURES = ["grader-run.svg", "grader-check.svg"]


def read(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def spans(text: str) -> list[str]:
    return re.findall(r"(?<!`)`([^`\n]+)`(?!`)", FENCED.sub("", text))


def grader_commands(text: str) -> Iterator[list[str]]:
    """Yield the words of every `grader ...` command that a page tells to type."""
    lines = [line for block in FENCED.findall(text) for line in block.splitlines()] + spans(text)
    for line in lines:
        for part in line.split("&&"):
            words = shlex.split(part, comments=True)
            if words and Path(words[0]).name == "grader" and len(words) > 1:
                yield words[1:]


def resolve(words: list[str]) -> tuple[Any, list[str]]:
    """Return the command that the words name and the rest of the words."""
    command: Any = get_command(app)
    while hasattr(command, "commands") and words and not words[0].startswith("-"):
        assert words[0] in command.commands, f"there is no command {words[0]}"
        command, words = command.commands[words[0]], words[1:]
    return command, words


def leaves(command: Any) -> Iterator[Any]:
    if not hasattr(command, "commands"):
        yield command
        return
    for inner in command.commands.values():
        yield from leaves(inner)


def options_of(command: Any) -> set[str]:
    return {"--help", *(option for param in command.params for option in (*param.opts, *param.secondary_opts))}


@pytest.mark.parametrize("page", PAGES)
def test_commands_and_their_options_exist(page: str) -> None:
    for words in grader_commands(read(page)):
        command, rest = resolve(words)
        named = {word for word in rest if word.startswith("-")}
        assert named <= options_of(command), " ".join(words)


def test_commands_in_blocks_can_be_typed_as_they_stand() -> None:
    blocks = "\n".join(f"```sh\n{block}```" for block in FENCED.findall(README))
    typed = list(grader_commands(blocks))
    assert len(typed) > 8
    for words in typed:
        command, rest = resolve(words)
        assert not hasattr(command, "commands"), " ".join(words)
        command.make_context("grader", list(rest))  # ends the process on what it cannot parse


@pytest.mark.parametrize("page", PAGES)
def test_options_named_alone_exist(page: str) -> None:
    known = set().union(*(options_of(command) for command in leaves(get_command(app))))
    named = {span.split()[0] for span in spans(read(page)) if span.startswith("--")}
    assert named <= known


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", read(page)):
        if not target.startswith(("https://", "#")):
            assert ((ROOT / page).parent / target.partition("#")[0]).exists(), target


@pytest.mark.parametrize("page", PAGES)
def test_files_that_are_named_exist(page: str) -> None:
    folders = ("grader/", "lesson/", "solutions/", "student_template/", "tests/", ".ci/")
    for name in spans(read(page)):
        if name.startswith(folders) and re.fullmatch(r"[\w./-]+", name) and "LANGUAGE" not in name:
            assert (ROOT / name).exists(), name


def test_there_are_exactly_two_ways_to_set_up_and_one_to_add_pytorch() -> None:
    commands = dict(SET_UP.findall(README))
    assert list(commands) == ["demo", "tests", "torch"]
    assert README.count("python3 -m venv") == 2
    assert commands["demo"].endswith("grader run tests/demo_class")
    assert commands["tests"].endswith("pytest")
    assert commands["torch"].endswith("pytest tests/pytorch")
    for name, command in commands.items():
        assert "-c constraints.txt" in command
        assert ("torch" in command) == (name == "torch")
    script = read(".ci/run")
    assert all(f"set_up {name}" in script for name in commands)


def test_the_first_picture_opens_the_page() -> None:
    assert README.index("![") < README.index("\n## ")


@pytest.mark.parametrize("name", PICTURES)
def test_pictures_are_shown_and_load_nothing(name: str) -> None:
    assert f"({(FOLDER / name).as_posix()})" in README
    svg = ElementTree.parse(ROOT / FOLDER / name).getroot()
    assert svg.tag.endswith("svg")
    assert "url(http" not in (ROOT / FOLDER / name).read_text(encoding="utf-8")
    assert str(ROOT) not in text_of((ROOT / FOLDER / name).read_text(encoding="utf-8"))


def test_the_table_of_states_is_the_one_that_is_printed() -> None:
    table = README.partition("| | state | meaning |\n|---|---|---|\n")[2].partition("\n\n")[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]
    assert [(symbol, name) for symbol, name, _meaning in rows] == [
        (SYMBOLS[state], state_name(state)) for state in State
    ]
    assert all(meaning for _symbol, _name, meaning in rows)


def test_exit_codes_are_all_explained() -> None:
    for code in (0, 1, 2, 3, 4, 130):
        assert re.search(rf"^\| {code} \|", README, re.MULTILINE)


def test_every_format_is_named_and_no_other() -> None:
    line = re.search(r"--format (\w+) +# or (.*)$", README, re.MULTILINE)
    assert line is not None
    # The first line of that block shows the default, a page in HTML.
    assert Counter([Format.HTML, line[1], *line[2].split(", ")]) == Counter(Format)


def test_no_page_repeats_a_point() -> None:
    """Only the README says what all exercises together are worth."""
    said = {page: STATED_POINTS.findall(read(page)) for page in WITHOUT_POINTS}
    assert {page: points for page, points in said.items() if points} == {
        "README.md": [f"{load_course().points} points"]
    }


def test_constraints_cover_what_is_required() -> None:
    import tomllib

    project = tomllib.loads(read("pyproject.toml"))["project"]
    extras = project["optional-dependencies"]
    required = [*project["dependencies"], *extras["instructor"], *extras["dev"]]
    pinned = dict(re.findall(r"^([\w.-]+)==(\S+)$", read("constraints.txt"), re.MULTILINE))
    names = {name.lower().replace("_", "-") for name in pinned}
    assert {re.match(r"[\w-]+", line)[0].lower() for line in required} <= names  # type: ignore[index]
    assert pinned["torch"] == "2.13.0"


def text_of(svg: str) -> str:
    """Return what a picture says, without what may differ between two machines."""
    text = "".join(element.text or "" for element in ElementTree.fromstring(svg).iter() if element.tag.endswith("text"))
    return re.sub(r"isolation \w+|\d+\.\d+ arrays", "", text.replace("\xa0", " "))


@pytest.mark.slow
def test_pictures_show_what_the_commands_print() -> None:
    for name, svg in draw(ROOT).items():
        committed = (ROOT / FOLDER / name).read_text(encoding="utf-8")
        assert text_of(committed) == text_of(svg), "run `python -m grader.author.pictures`"
