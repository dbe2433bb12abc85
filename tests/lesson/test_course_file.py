"""The course file: what it says, and one sentence with the line when it is not valid."""

import re
from dataclasses import MISSING, fields, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lesson.course import COURSE_FILE, Check, CourseError, Exercise, Topic, load_course

TEXT = COURSE_FILE.read_text(encoding="utf-8")
(RELU,) = re.findall(r'\{ id = "relu", points = \d+,', TEXT)


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
        (RELU, '{ id = "relu", points = 0,', "at least 1 point", '{ id = "relu"'),
        (RELU, '{ id = "relu", points = "1",', "'points' of check relu", '{ id = "relu"'),
        (RELU, '{ id = "linear", points = 1,', "names a check twice", "checks = ["),
        ('functions = ["optimal_segment"]', 'functions = ["relu"]', "relu is graded in step1", 'functions = ["relu"]'),
        ('functions = ["optimal_segment"]', "functions = [3]", "must be strings", "functions = [3]"),
        ('title = "The chain, backward"', 'titel = "x"', "unknown key 'titel'", None),
        ('title = "The chain, backward"', "", "lacks 'title'", None),
        ('"max(1, round(math.sqrt(n_layers))).",', "", "needs three hints", None),
        ("measured = true", 'measured = "yes"', "'measured' of check", "{ id ="),
        ('needs = ["output"]', 'needs = ["nothing"]', "needs 'nothing'", '{ id = "forward_memory"'),
        ('bonus = true\nrequires = "torch"', 'requires = "torch"', "must be a bonus", 'requires = "torch"'),
        ('title = "Gradient checkpointing"', "title = Gradient", "line 10", None),
        ('title = "Gradient checkpointing"', "", "the course lacks 'title'", None),
        ('importable = ["policy_cost"', "importable = [3", "importable of the course must be strings", None),
        ('needs = ["output"]', "needs = [3]", "needs of check forward_memory", '{ id = "forward_memory"'),
        ('text = "POLICY_PROMPT"', "", "must name either functions or a text", "functions = []"),
        ('text = "POLICY_PROMPT"', 'text = "relu"', "relu is graded in step1", 'text = "relu"'),
        ('functions = ["optimal_segment"]', "functions = []", "must name either functions", "functions = []"),
        ('text_file = "prompt-activation', 'hint_file = "', "unknown key 'hint_file'", None),
        ('text_file = "prompt-activation-recompute-policy.md"', "", "text and text_file", 'text = "POLICY_PROMPT"'),
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


@pytest.mark.parametrize("table", ["topic", "exercise"])
def test_a_list_of_anything_else_is_refused_in_a_sentence(tmp_path, table):
    values = {"topic": "[]", "exercise": "[]", table: "[1]"}
    text = "\n".join(['title = "Course"', *(f"{name} = {value}" for name, value in values.items())])
    with pytest.raises(CourseError, match=rf"each {table} must be a table"):
        load(tmp_path, text)


def test_the_form_of_the_file_is_that_of_the_dataclasses(course):
    required = {
        Check: {"id", "title", "points"},
        Topic: {"id", "title"},
        Exercise: {"id", "topic", "title", "functions", "builds_on", "hints", "checks"},
    }
    for form, names in required.items():
        assert {each.name for each in fields(form) if each.default is MISSING} == names
    # A key that is left out has the default of its field.
    exercise = course.exercise("step6")
    assert (exercise.call_seconds, exercise.requires, exercise.bonus) == (0, "", False)
    assert (exercise.checks[0].measured, exercise.checks[0].needs) == (False, ())


def test_modules_that_graded_code_may_import_are_there(course):
    assert course.importable
    assert all(COURSE_FILE.with_name(f"{name}.py").is_file() for name in course.importable)


def test_a_topic_needs_a_package_if_all_its_exercises_do(course):
    needing = {topic.id for topic in course.topics if course.needs_package(topic.id)}
    assert needing == {each.topic for each in course.exercises if each.requires}
    one, *others = course.of_topic("selective")
    mixed = replace(course, exercises=(replace(one, requires="torch"), *others))
    assert not mixed.needs_package("selective")
    assert not replace(course, exercises=()).needs_package("selective")


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
