"""What `grader check` says, a notebook, the page and `grader run` say too: state, points and words."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

import pytest
from notebook_tools import numpy_is_enough

from grader.author.answers import Answer, read_answers
from grader.cases.recorded import RecordedCases
from grader.desk.apart import ApartStudent
from grader.desk.browser import Desk
from grader.desk.checking import Checker
from grader.files import Submission
from grader.grading import CheckSession
from grader.isolation.sandbox import detect
from grader.isolation.zygote import Zygotes
from grader.student.here import InProcessStudent
from grader.student.process import ProcessStudent
from grader.worker.namespace import NamespaceLoader
from lesson.course import load_course

ROOT = Path(__file__).parents[2]
COURSE = load_course()
ANSWERS = [
    answer
    for folder in ("right_answers", "wrong_answers")
    for answer in read_answers(ROOT / "tests" / folder, COURSE)
    if numpy_is_enough(answer.topic)
]
# What may stand around any answer. It prints, saves, plots, fails and exits, and changes no function.
ABOVE = "import matplotlib.pyplot as plt\nimport pandas as pd\nfrom grader.notebook import check\n"
BELOW = """
import sys

import numpy as np

plt.plot([1, 2])
plt.savefig("figure.png")
with open("log.txt", "w") as file:
    print("done", file=file)
weights = np.load("weights.npz")
print(weights)
assert False, "mine"
check("step1").points
sys.exit(0)
"""


def surrounded(source: str) -> str:
    """Put the leftovers around a module, below its future statements."""
    body = ast.parse(source).body
    first = next((node for node in body if not isinstance(node, ast.Expr) and not is_future(node)), body[-1])
    line = min([first.lineno, *(each.lineno for each in getattr(first, "decorator_list", []))]) - 1
    lines = source.splitlines(keepends=True)
    return "".join([*lines[:line], ABOVE, *lines[line:]]) + "\n" + BELOW


def is_future(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and node.module == "__future__"


def words(text: str) -> str:
    """A sentence without the numbers that were measured."""
    return re.sub(r"\d+(\.\d+)?", "#", text)


def verdict(result):
    checks = [
        (
            check.check.id,
            check.state.value,
            check.points,
            words(check.feedback.got) if check.feedback else "",
            words(check.feedback.cause) if check.feedback else "",
        )
        for check in result.checks
    ]
    return result.exercise.id, checks, result.note


def in_a_kernel(source):
    """The names after each statement of a file was run in a cell of its own, where everything is installed."""
    namespace = {"__name__": "__main__"}
    for node in ast.parse(source).body:
        try:
            exec(compile(ast.Module([node], []), "<cell>", "exec", dont_inherit=True), namespace)
        except (Exception, SystemExit):  # a kernel shows it, and goes on
            continue
    return namespace


@pytest.fixture(scope="module")
def checks():
    return CheckSession(COURSE, RecordedCases())


@pytest.fixture(scope="module")
def zygotes():
    zygotes = Zygotes(detect(), COURSE.importable)
    yield zygotes
    zygotes.close()


@pytest.fixture(scope="module")
def desk():
    return Desk()


@pytest.fixture(scope="module")
def checker():
    return Checker(COURSE)


def graded(checks, student, exercises):
    try:
        return [verdict(result) for result in checks.grade(student, exercises)]
    finally:
        student.close()


@pytest.mark.parametrize("answer", ANSWERS[3::40], ids=lambda answer: answer.name)
def test_every_place_says_the_same(checks, zygotes, desk, checker, answer: Answer):
    exercises = COURSE.of_topic(answer.topic)
    ((path, data),) = answer.files(ROOT).items()
    files = {path: surrounded(data.decode()).encode()}
    here = [verdict(result) for result in checker.check(Submission("s", "", files), exercises)]
    assert graded(checks, ProcessStudent(zygotes, files, COURSE.functions, texts=COURSE.texts), exercises) == here
    assert graded(checks, ApartStudent(files, COURSE), exercises) == here
    assert sum("is left out" in note for _id, _checks, note in here) == 1
    for exercise, (_id, due, note) in zip(exercises, here, strict=True):
        shown = json.loads(desk.check(exercise.id, files[path].decode(), lambda _message: None))
        assert [(each["id"], each["state"], each["points"]) for each in shown["checks"]] == [each[:3] for each in due]
        assert note in shown["note"]
    # And what stands around the answer has cost nothing.
    alone = [verdict(result) for result in checker.check(Submission("s", "", {path: data}), exercises)]
    assert [each[1] for each in alone] == [each[1] for each in here]


@pytest.mark.parametrize("answer", ANSWERS[7::60], ids=lambda answer: answer.name)
def test_a_kernel_gives_the_same_points(checks, answer: Answer, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    exercises = [exercise for exercise in COURSE.of_topic(answer.topic) if exercise.functions]
    ((path, data),) = answer.files(ROOT).items()
    source = surrounded(data.decode()).replace(ABOVE, "").replace(BELOW, "\n1 / 0\nassert False\n")
    kernel = InProcessStudent(NamespaceLoader(in_a_kernel(source), COURSE.functions))
    found = [[each[:3] for each in result[1]] for result in graded(checks, kernel, exercises)]
    student = Checker(COURSE)
    due = [verdict(each) for each in student.check(Submission("s", "", {path: source.encode()}), exercises)]
    assert found == [[each[:3] for each in result[1]] for result in due]
