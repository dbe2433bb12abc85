"""The figures of the page in the browser: what they measure of a student's functions."""

import json
import re
from pathlib import Path

import pytest

from grader.desk.browser import figure
from lesson.page_figures import FIGURES

ROOT = Path(__file__).parents[2]


def test_the_page_draws_exactly_these():
    source = (ROOT / "web" / "src" / "views" / "figures.ts").read_text(encoding="utf-8")
    table = source.partition("const FIGURES")[2].partition("\n};")[0]
    assert set(re.findall(r"^  (\w+): \{", table, re.MULTILINE)) == FIGURES.keys()


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_measures_functions_of_one_module(course, name):
    (topic,) = {course.exercise(each).topic for each in exercises_of(course, FIGURES[name].functions)}
    drawn = json.loads(figure(name, f"{topic}.py", (ROOT / "solutions" / f"{topic}.py").read_text(encoding="utf-8")))
    assert drawn["series"]
    for series in drawn["series"]:
        assert series["label"]
        assert all(y >= 0 for _x, y in series["points"])
    assert drawn["marks"] == [] or len(drawn["marks"]) == len(drawn["series"][0]["points"])


@pytest.mark.parametrize("name", FIGURES)
@pytest.mark.parametrize(
    ("body", "sentence"), [("raise NotImplementedError", "Write the functions"), ("return 1 / 0", "ZeroDivisionError")]
)
def test_what_cannot_be_measured_is_said(name, body, sentence):
    text = "\n".join(f"def {function}(*args, **kwargs):\n    {body}\n" for function in FIGURES[name].functions)
    assert sentence in json.loads(figure(name, "work.py", text))["problem"]


def exercises_of(course, functions):
    """Return the ids of the exercises in which some functions are graded."""
    return {each.id for each in course.exercises for function in functions if function in each.functions}
