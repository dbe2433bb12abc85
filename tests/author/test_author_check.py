"""`grader author check`: which parts it looks at, what it prints, and how it ends."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner

from grader.author.check import AuthorCheck, Part
from grader.commands import main as cli
from lesson.course import load_course

ROOT = Path(__file__).parents[2]
COURSE = load_course()
LONG = f"tests/wrong_answers/step6/{'a_very_long_name_' * 12}.py loses step6.nearest, which it should not."


@pytest.fixture(scope="module")
def step6() -> AuthorCheck:
    return AuthorCheck(ROOT, COURSE, exercises=[COURSE.exercise("step6")])


@pytest.fixture
def one_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nothing but the stubs have a problem, of a long name, and take no time."""
    monkeypatch.setattr(AuthorCheck, "problems_of", lambda _self, part: [LONG] if part.name == "stubs" else [])


def invoke(*arguments: str) -> tuple[int, list[str]]:
    done = CliRunner().invoke(cli.app, ["author", "check", *arguments])
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.exit_code, done.output.splitlines()


def test_an_exercise_brings_its_own_answers_and_those_of_its_topic(step6: AuthorCheck) -> None:
    folders = {part.name for part in step6.parts() if part.answer}
    assert folders == {"tests/wrong_answers/step6", "tests/right_answers/cost_model"}


def test_all_answers_are_looked_at_by_default() -> None:
    count = sum(part.answer is not None for part in AuthorCheck(ROOT, COURSE).parts())
    left_out = [exercise.id for exercise in COURSE.exercises if not exercise.can_be_graded_here]
    files = [path for path in ROOT.glob("tests/*_answers/*/*.py") if path.parent.name not in left_out]
    assert count == len(files) > 200


@pytest.mark.parametrize(
    ("header", "sentences"),
    [
        ("step6.nearest", []),
        ("step6.nearest step6.small step4.full", ["does not lose step4.full, which it should."]),
        ("", ["loses step6.nearest, step6.small, which it should not.", "is in the wrong folder."]),
    ],
)
def test_an_answer_with_another_verdict_than_its_header_says_is_named(
    tmp_path: Path, header: str, sentences: list[str]
) -> None:
    half = tmp_path / "tests" / "wrong_answers" / "step6" / "half.py"
    for folder in (half.parent, tmp_path / "solutions"):
        folder.mkdir(parents=True)
    shutil.copy(ROOT / "solutions" / "cost_model.py", tmp_path / "solutions")
    text = f'"""Half."""\n# loses: {header}\n\n\ndef optimal_segment(n):\n    return max(1, n // 2)\n'
    half.write_text(text, encoding="utf-8")
    check = AuthorCheck(tmp_path, COURSE, exercises=[COURSE.exercise("step6")])
    (part,) = (part for part in check.parts() if part.answer)
    assert check.problems_of(part) == [f"tests/wrong_answers/step6/half.py {sentence}" for sentence in sentences]


def test_todos_of_other_exercises_are_left_alone(step6: AuthorCheck, tmp_path: Path) -> None:
    page = tmp_path / "lesson" / "text" / "en" / "cost_model.md"
    page.parent.mkdir(parents=True)
    page.write_text("One.\n\nTODO step6: say why.\nTODO step5: say how.\n", encoding="utf-8")
    of_step6 = AuthorCheck(tmp_path, COURSE, exercises=[COURSE.exercise("step6")])
    assert of_step6.problems_of(Part("TODOs")) == ["lesson/text/en/cost_model.md:3: TODO step6: say why."]
    assert len(AuthorCheck(tmp_path, COURSE).problems_of(Part("TODOs"))) == 2
    assert step6.problems_of(Part("TODOs")) == []


@pytest.mark.usefixtures("one_problem")
def test_in_a_pipe_progress_is_a_line_for_each_kind_and_no_name_is_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    code, lines = invoke("step6")
    assert code == cli.NOT_ALL_PASSED
    total = lines[0].partition("/")[2].split()[0]
    assert lines[:4] == [f"1/{total} TODOs", f"2/{total} generated files", LONG, f"3/{total} stubs"]
    assert lines[-1] == f"{total}/{total} tests/right_answers/cost_model"


@pytest.mark.usefixtures("one_problem")
def test_on_a_terminal_progress_is_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cli, "_console", lambda: Console(force_terminal=True, width=60))
    code, lines = invoke("step6")
    assert code == cli.NOT_ALL_PASSED
    assert any("━" in line for line in lines)
    assert any(LONG in line for line in lines)
    assert not any(line.startswith("3/") for line in lines)


def test_what_is_sound_ends_with_0(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(AuthorCheck, "problems_of", lambda _self, _part: [])
    code, lines = invoke("step6", "step5")
    assert code == 0
    assert lines[-1] == "Everything is as it should be."


def test_an_exercise_that_is_not_there_is_refused() -> None:
    code, lines = invoke("step6", "step70")
    assert code == cli.USAGE
    assert lines == [lines[0]]
    assert "step70" in lines[0]


def test_several_processes_find_what_one_finds(step6: AuthorCheck) -> None:
    parts = [part for part in step6.parts() if part.answer][:3]
    assert list(step6.examine(parts, jobs=2)) == list(step6.examine(parts)) == [[], [], []]
