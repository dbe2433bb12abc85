"""CONTRIBUTING's recipes, followed to the letter in a copy of the tree, end green."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
TREE = ("grader", "lesson", "solutions", "student_template", "notebooks", "outputs", "tests", "web")
FILES = ("pyproject.toml", "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "LICENSE", "constraints.txt")
# What is run as a module, and so finds the copy before the installed project.
MODULES = {"pybabel": "babel.messages.frontend"}
# Of the tests that a recipe ends with: those that look at the course as it then is.
LOOKING_AT_THE_COURSE = (
    "tests/lesson",
    "tests/notebooks/test_notebooks.py",
    "tests/checks/test_checks_by_hand.py::test_every_check_of_the_course_is_a_test_and_every_test_a_check",
    "tests/author/test_new_exercise.py",
    "tests/grading/test_bonus.py",
    "tests/classroom/test_classroom.py::test_the_reference_gets_full_marks",
    "tests/commands/test_commands.py::test_check_says_at_once_what_is_right",
    "tests/test_walls.py",
)
# What an author writes in the place of each TODO; the rest of the line stays, unless it is named here.
STEP8: dict[str, dict[str, str]] = {
    "lesson/course.toml": {
        "TODO step8: what the student builds, in a few words": "How many segments there are",
        "bonus = true  # TODO step8: on top of the others; or take points from other checks and delete this line\n": "",
        "TODO step8: a nudge.": "The last segment may be shorter than the others, and it is one.",
        "TODO step8: the way.": "Divide, and round up.",
        "TODO step8: nearly the answer.": "math.ceil(n_layers / segment_size).",
        "TODO step8: the claim that is checked": "A short segment counts as one",
    },
    "solutions/cost_model.py": {
        "segment_count(n: int)": "segment_count(n_layers: int, segment_size: int)",
        "TODO step8: say in one sentence what it does; students get signature and docstring.": "Count the segments.",
        "    n : int\n": "    n_layers, segment_size : int\n",
        "    # TODO step8: the reference solution.\n    return n\n": "    return math.ceil(n_layers / segment_size)\n",
    },
    "grader/cases/drawing/cost_model.py": {
        "    # TODO step8: draw the arguments from ranges that real models have, and special cases beside them.\n": "",
        "    numbers = [int(number) for number in rng.integers(1, 100, 5)]\n": "",
        '    functions = ["segment_count"]\n': "",
        '    return {"values": [Case(name, {"n": n}, reference[name](n)) for name in functions for n in numbers]}': """\
    pairs = [(10, 4), (12, 4), (3, 5)]
    pairs += [(int(rng.integers(20, 130)), int(rng.integers(2, 19))) for _ in range(5)]
    inputs = [{"n_layers": n_layers, "segment_size": size} for n_layers, size in pairs]
    return {"values": [asked(reference, "segment_count", each) for each in inputs]}""",
    },
    "lesson/text/en/cost_model.md": {
        "TODO step8: the title": "How many segments there are",
        "TODO step8: why this matters, and what the student needs to know.": "Ten layers in segments of four.",
        "TODO step8: what to write.": "Count the segments.",
    },
    "grader/checks/test_step8.py": {
        "TODO step8: what it is about.": "how many segments there are.",
        "from grader.checks.claims import CasesOf, agree\n": """\
from typing import Any

from grader.cases.case import Case
from grader.checks.claims import CasesOf, agree
from grader.messages import _
""",
        "    # TODO step8: name the mistakes that the numbers give away, as other modules here do.\n": "",
        'agree(student, case("values"))\n': """\
agree(student, case("values"), [_rounded_down])


def _rounded_down(got: Any, case: Case) -> str | None:
    return _("The last, shorter segment is missing; round up.") if got == case.expected - 1 else None
""",
    },
    "tests/wrong_answers/step8/one_too_many.py": {
        "TODO step8: the mistake; name the file after it.": "The short segment is forgotten.",
        "# loses: step8.values\n": "# loses: step8.values\n# says: round up\n",
        "segment_count(n)": "segment_count(n_layers, segment_size)",
        "n + 1": "n_layers // segment_size",
    },
    "tests/right_answers/step8/counted_one_by_one.py": {
        "TODO step8: what is unusual about it; name the file after it.": "Every segment is counted.",
        "segment_count(n)": "segment_count(n_layers, segment_size)",
        "range(n)": "range(0, n_layers, segment_size)",
    },
}


class Clone:
    """A copy of the tree, in which commands run its own code."""

    def __init__(self, root: Path) -> None:
        self.root = root
        for name in TREE:
            shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__", "node_modules"))
        for name in FILES:
            shutil.copy(ROOT / name, root / name)

    def run(self, command: str, **environment: str) -> subprocess.CompletedProcess[str]:
        words = shlex.split(command)
        words = [sys.executable, "-m", MODULES.get(words[0], words[0]), *words[1:]]
        environment = {**os.environ, "PYTHONPATH": str(self.root), **environment}
        return subprocess.run(
            words, check=False, capture_output=True, text=True, cwd=self.root, timeout=300, env=environment
        )

    def succeeds(self, command: str, **environment: str) -> str:
        done = self.run(command, **environment)
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
        return done.stdout

    def edit(self, name: str, replacements: dict[str, str]) -> None:
        path = self.root / name
        text = path.read_text(encoding="utf-8")
        for old, new in replacements.items():
            assert text.count(old) == 1, f"{name} has {old!r} {text.count(old)} times"
            text = text.replace(old, new)
        path.write_text(text, encoding="utf-8")

    def take_a_point(self, check: str) -> None:
        """Lower what a check is worth by one."""
        path = self.root / "lesson" / "course.toml"
        text = path.read_text(encoding="utf-8")
        before, after = re.split(rf'(?<=id = "{check}", points = )(?=\d)', text, maxsplit=1)
        points = re.match(r"\d+", after)[0]  # type: ignore[index]
        path.write_text(before + after.replace(points, str(int(points) - 1), 1), encoding="utf-8")

    def passes_its_tests(self, exercise: str) -> None:
        pytest = "pytest -q -p no:cacheprovider"
        self.succeeds(f"{pytest} {' '.join(LOOKING_AT_THE_COURSE)}")
        self.succeeds(f"{pytest} tests/answers -k '{exercise} or exist or every_check or current'")
        self.succeeds(f"{pytest} tests/author/test_catalogue.py -k 'test_{exercise} or current or course'")
        self.succeeds("ruff format --check .")
        self.succeeds("ruff check .")


@pytest.fixture
def clone(tmp_path: Path) -> Clone:
    return Clone(tmp_path)


def recipe(title: str) -> str:
    found = re.search(rf"^### {title}\n(.*?)(?=^###? )", CONTRIBUTING, re.MULTILINE | re.DOTALL)
    assert found, f"CONTRIBUTING.md has no recipe {title!r}"
    return found[1]


def blocks(text: str, language: str) -> list[str]:
    """Return what stands in the fenced blocks of a language, as it has to be typed."""
    found = re.findall(rf"^( *)```{language}\n(.*?)^ *```", text, re.MULTILINE | re.DOTALL)
    return [re.sub(rf"^{indent}", "", block, flags=re.MULTILINE) for indent, block in found]


def commands(text: str) -> list[str]:
    return [line.partition("#")[0].strip() for block in blocks(text, "sh") for line in block.splitlines()]


def test_an_exercise_takes_at_most_eight_files_edited_by_hand() -> None:
    # Beside those with a TODO the recipe names the changelog.
    assert len(STEP8) + 1 <= 8


@pytest.mark.slow
def test_the_recipe_for_an_exercise_ends_green(clone: Clone) -> None:
    new, build, check, everything = commands(recipe("Add an exercise"))
    assert (build, everything) == ("grader author build", "pytest")
    clone.succeeds(new)
    clone.succeeds(build)
    left = clone.run(check)
    assert left.returncode == 1
    for name, replacements in STEP8.items():
        for todo in (line for old in replacements for line in old.splitlines() if "TODO" in line):
            assert f"TODO {todo.partition('TODO ')[2]}\n" in left.stdout
        clone.edit(name, replacements)
    clone.take_a_point("store_all")
    clone.edit("CHANGELOG.md", {"## [Unreleased]\n": "## [Unreleased]\n\n- Step 8 has a point of step 5.\n"})
    clone.succeeds(build)
    assert clone.succeeds(f"{check} -j 2").endswith("Everything is as it should be.\n")
    clone.passes_its_tests("step8")


@pytest.mark.slow
def test_the_recipe_for_a_check_ends_green(clone: Clone) -> None:
    text = recipe("Add a check")
    (entry,) = blocks(text, "toml")
    cases, function, answer = blocks(text, "python")
    build, check, everything = commands(text)
    assert (build, everything) == ("grader author build", "pytest")
    step6 = (clone.root / "lesson" / "course.toml").read_text(encoding="utf-8").partition('id = "step6"')[2]
    last = step6.partition("\nchecks = [\n")[2].partition("\n]\n")[0].splitlines()[-1]
    clone.edit("lesson/course.toml", {f"{last}\n": f"{last}\n  {entry}"})
    clone.take_a_point("nearest")
    clone.edit("grader/cases/drawing/cost_model.py", {'"small": sizes(1, 2)}': f'"small": sizes(1, 2), {cases}}}'})
    with (clone.root / "grader" / "checks" / "test_step6.py").open("a", encoding="utf-8") as module:
        module.write(f"\n\n{function}")
    (clone.root / "tests" / "wrong_answers" / "step6" / "long_models.py").write_text(answer, encoding="utf-8")
    clone.succeeds("ruff format .")
    clone.succeeds(build)
    assert clone.succeeds(check).endswith("Everything is as it should be.\n")
    clone.passes_its_tests("step6")


@pytest.mark.slow
def test_the_recipe_for_a_translation_makes_the_grader_speak_another_language(clone: Clone) -> None:
    make, compile_ = commands(recipe("Translate"))
    clone.succeeds(make)
    sentence, translated = "A chain of layers, forward", "Eine Kette von Schichten, vorwärts"
    empty = f'msgid "{sentence}"\nmsgstr "'
    clone.edit("grader/locale/de/LC_MESSAGES/grader.po", {f'{empty}"': f'{empty}{translated}"'})
    clone.succeeds(compile_)
    assert translated in clone.succeeds("grader hint step1", LANGUAGE="de")
    assert sentence in clone.succeeds("grader hint step1", LANGUAGE="en")
    clone.succeeds("pytest -q -p no:cacheprovider tests/author/test_catalogue.py -k 'current or course'")
