"""`grader author new` writes a valid exercise, or says in a sentence why it does not."""

from __future__ import annotations

import ast
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from grader.author.new_exercise import CannotAdd, NewExercise, add_exercise
from grader.author.notebooks import notebook
from grader.author.template import skeleton
from grader.commands import main as cli
from lesson.course import load_course

ROOT = Path(__file__).parents[2]
COURSE = load_course()
TOPICS = sorted({exercise.topic for exercise in COURSE.exercises if not exercise.requires})
TAKEN = COURSE.exercises[0].functions[0]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A copy of what a new exercise changes."""
    for folder in ("solutions", "lesson/text", "grader/cases/drawing"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "lesson" / "course.toml", tmp_path / "lesson")
    return tmp_path


def files_of(root: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}


@pytest.mark.parametrize("topic_id", TOPICS)
@pytest.mark.parametrize("functions", [("first_new",), ("first_new", "second_new")])
def test_what_is_written_goes_with_the_course(root: Path, topic_id: str, functions: tuple[str, ...]) -> None:
    written = add_exercise(root, COURSE, NewExercise("step98", topic_id, functions))
    assert all("TODO step98: " in path.read_text(encoding="utf-8") for path in written)
    course = load_course(root / "lesson" / "course.toml")
    assert course.points == COURSE.points
    assert course.exercise("step98").functions == functions
    assert course.of_topic(topic_id)[-1].id == "step98"
    for path in written:
        if path.suffix == ".py":
            ast.parse(path.read_text(encoding="utf-8"))
    topic = next(topic for topic in course.topics if topic.id == topic_id)
    source = skeleton((root / "solutions" / f"{topic_id}.py").read_text(encoding="utf-8"), course, topic)
    text = (root / "lesson" / "text" / "en" / f"{topic_id}.md").read_text(encoding="utf-8")
    made = notebook(text, source, course, topic)
    assert made.index("step98-check") > max(made.index(f"{each.id}-check") for each in COURSE.of_topic(topic_id))


@pytest.mark.parametrize("topic_id", TOPICS)
def test_two_can_be_added_one_after_the_other(root: Path, topic_id: str) -> None:
    add_exercise(root, COURSE, NewExercise("step98", topic_id, ("first_new",)))
    course = load_course(root / "lesson" / "course.toml")
    add_exercise(root, course, NewExercise("step99", topic_id, ("second_new",)))
    load_course.cache_clear()
    ids = [exercise.id for exercise in load_course(root / "lesson" / "course.toml").of_topic(topic_id)]
    assert ids == [*(exercise.id for exercise in COURSE.of_topic(topic_id)), "step98", "step99"]


@pytest.mark.parametrize(
    ("exercise_id", "topic", "functions", "sentence"),
    [
        ("step7", "cost_model", ("new",), "There is an exercise step7 already"),
        ("policy", "cost_model", ("new",), "There is an exercise policy already"),
        ("recompute", "cost_model", ("new",), "There is a topic recompute"),
        ("Step8", "cost_model", ("new",), "'Step8' cannot be an id"),
        ("../step98", "cost_model", ("new",), "'../step98' cannot be an id"),
        ("", "cost_model", ("new",), "'' cannot be an id"),
        ("step98", "costs", ("new",), "There is no topic 'costs'; the course has recompute, cost_model"),
        ("step98", "torch_benchmark", ("new",), "write this one by hand"),
        ("step98", "cost_model", (), "needs a function to grade"),
        ("step98", "cost_model", ("3d",), "'3d' cannot be the name"),
        ("step98", "cost_model", ("class",), "'class' cannot be the name"),
        ("step98", "cost_model", ("_hidden",), "'_hidden' cannot be the name"),
        ("step98", "cost_model", ("new", "new"), "new is named twice"),
        ("step98", "cost_model", (TAKEN,), f"{TAKEN} is taken by solutions/recompute.py"),
        ("step98", "cost_model", ("math",), "math is taken by solutions/"),
        ("step98", "cost_model", ("sum",), "sum is taken by Python itself"),
    ],
)
def test_what_does_not_go_with_the_course_is_refused_and_nothing_written(
    root: Path, exercise_id: str, topic: str, functions: tuple[str, ...], sentence: str
) -> None:
    before = files_of(root)
    with pytest.raises(CannotAdd) as caught:
        add_exercise(root, COURSE, NewExercise(exercise_id, topic, functions))
    assert sentence in str(caught.value)
    assert files_of(root) == before


def test_files_that_are_there_are_not_overwritten(root: Path) -> None:
    (root / "grader" / "checks").mkdir()
    (root / "grader" / "checks" / "test_step98.py").write_text("", encoding="utf-8")
    before = files_of(root)
    with pytest.raises(CannotAdd, match=r"grader/checks/test_step98\.py exists already"):
        add_exercise(root, COURSE, NewExercise("step98", "cost_model", ("new",)))
    assert files_of(root) == before


def test_the_command_lists_what_it_wrote_and_says_a_refusal_in_a_sentence(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(cli, "_clone", lambda: root)
    arguments = ["author", "new", "step98", "--topic", "cost_model", "--functions"]
    done = CliRunner().invoke(cli.app, [*arguments, "first_new, second_new"])
    assert done.exit_code == 0
    assert "tests/wrong_answers/step98/one_too_many.py\n" in done.output
    assert "grader author check step98" in done.output
    refused = CliRunner().invoke(cli.app, [*arguments, "relu"])
    assert refused.exit_code == cli.USAGE
    assert refused.output.count("\n") == 1
