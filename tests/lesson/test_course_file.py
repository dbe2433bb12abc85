"""The course file: what it says, and one sentence with the line when it is not valid."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lesson.course import COURSE_FILE, CourseError, load_course

TEXT = COURSE_FILE.read_text(encoding="utf-8")


def load(tmp_path, text):
    path = tmp_path / "course.toml"
    path.write_text(text, encoding="utf-8")
    load_course.cache_clear()
    return load_course(path)


def test_the_course_without_its_bonus_is_worth_100_points(course):
    assert course.points == 100


def test_every_exercise_has_three_hints(course):
    assert all(len(exercise.hints) == 3 for exercise in course.exercises)


def test_an_unknown_exercise_names_the_known_ones(course):
    with pytest.raises(KeyError, match="step7"):
        course.exercise("step70")


@pytest.mark.parametrize(
    ("old", "new", "sentence", "line_of"),
    [
        ('id = "step2"', 'id = "step1"', "two exercises 'step1'", 'id = "step1"'),
        ('builds_on = ["step1"]', 'builds_on = ["step9"]', "builds on 'step9'", 'builds_on = ["step9"]'),
        ('topic = "selective"', 'topic = "selectiv"', "no topic 'selectiv'", 'topic = "selectiv"'),
        ('{ id = "relu", points = 1,', '{ id = "relu", points = 0,', "at least 1 point", '{ id = "relu"'),
        ('{ id = "relu", points = 1,', '{ id = "relu", points = "1",', "'points' of check relu", '{ id = "relu"'),
        ('{ id = "relu", points = 1,', '{ id = "linear", points = 1,', "names a check twice", "checks = ["),
        ('functions = ["optimal_segment"]', 'functions = ["relu"]', "relu is graded in step1", 'functions = ["relu"]'),
        ('functions = ["optimal_segment"]', "functions = [3]", "must be strings", "functions = [3]"),
        ('title = "The chain, backward"', 'titel = "x"', "unknown key 'titel'", None),
        ('title = "The chain, backward"', "", "lacks 'title'", None),
        ('"max(1, round(math.sqrt(n_layers))).",', "", "needs three hints", None),
        ("measured = true", 'measured = "yes"', "'measured' of check", "{ id ="),
        ('needs = ["output"]', 'needs = ["nothing"]', "needs 'nothing'", '{ id = "forward_memory"'),
        ("bonus = true", "", "must be a bonus", 'requires = "torch"'),
        ('title = "Gradient checkpointing"', "title = Gradient", "line 8", None),
        ('title = "Gradient checkpointing"', "", "the course lacks 'title'", None),
    ],
)
def test_a_mistake_gets_a_sentence_with_its_line(tmp_path, old, new, sentence, line_of):
    assert old in TEXT
    text = TEXT.replace(old, new, 1)
    with pytest.raises(CourseError, match=r"course\.toml") as caught:
        load(tmp_path, text)
    assert sentence in str(caught.value)
    if line_of:
        number = int(str(caught.value).partition("line ")[2].partition(":")[0])
        assert line_of in text.splitlines()[number - 1]


@settings(max_examples=60)
@given(st.data())
def test_no_damage_ends_in_a_traceback(tmp_path_factory, data):
    lines = TEXT.splitlines()
    index = data.draw(st.integers(0, len(lines) - 1))
    lines[index] = data.draw(st.sampled_from(["", "[[exercise]]", "x = 1", "checks = [1]", "hints = 3", "[topic]"]))
    try:
        load(tmp_path_factory.mktemp("course"), "\n".join(lines))
    except CourseError as error:
        assert str(error).startswith("course.toml")
