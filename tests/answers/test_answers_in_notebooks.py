"""An answer in a notebook scores what it scores in a module: the reference, and every right and wrong one."""

import ast
import json
from pathlib import Path

import pytest
from notebook_tools import can_run

from grader.author.answers import Answer, read_answers
from grader.author.check import AuthorCheck
from grader.results import State
from lesson.course import load_course

ROOT = Path(__file__).parents[2]
COURSE = load_course()
ANSWERS = [
    answer
    for folder in ("wrong_answers", "right_answers")
    for answer in read_answers(ROOT / "tests" / folder, COURSE)
    if can_run(answer.topic)
]
# What a student's notebook is full of beside the answers.
NOISE = [
    "%matplotlib inline\n%pip install numpy\nimport matplotlib.pyplot as plt\nfrom grader.notebook import check, hint",
    "check('step1').points",
    "fig, ax = plt.subplots()\nax.plot([1, 2])",
    "1 / 0",
    "!ls",
]


def as_notebook(source: str) -> bytes:
    """A module as a notebook with one cell for each statement, and noise between them."""
    lines = source.splitlines()
    starts = [
        min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))]) - 1
        for node in ast.parse(source).body
    ]
    ends = [*starts[1:], len(lines)]
    cells = ["\n".join(lines[start:end]) for start, end in zip(starts, ends, strict=True)]
    mixed = [cell for index, code in enumerate(cells) for cell in (code, NOISE[index % len(NOISE)])]
    code = [{"cell_type": "code", "metadata": {}, "outputs": [], "source": cell} for cell in mixed]
    return json.dumps({"nbformat": 4, "nbformat_minor": 4, "metadata": {}, "cells": code}).encode()


def in_notebooks(files):
    """The modules of a submission as notebooks; other files stay what they are."""
    return {
        path.replace(".py", ".ipynb"): as_notebook(data.decode()) if path.endswith(".py") else data
        for path, data in files.items()
    }


@pytest.fixture(scope="module")
def checks():
    return AuthorCheck(ROOT, COURSE)


def grade(checks: AuthorCheck, answer: Answer):
    return checks.grade_files(in_notebooks(answer.files(ROOT)), COURSE.of_topic(answer.topic))


@pytest.mark.parametrize("answer", ANSWERS[::12], ids=lambda answer: answer.name)
def test_an_answer_scores_the_same_in_a_notebook(checks: AuthorCheck, answer: Answer):
    assert answer.complaints(grade(checks, answer)) == []


@pytest.mark.slow
@pytest.mark.parametrize("answer", ANSWERS, ids=lambda answer: answer.name)
def test_every_answer_scores_the_same_in_a_notebook(checks: AuthorCheck, answer: Answer):
    assert answer.complaints(grade(checks, answer)) == []


def test_the_reference_scores_everything_in_notebooks(checks: AuthorCheck, solutions):
    results = [result for result in checks.grade_files(in_notebooks(solutions)) if not result.left_out]
    assert {result.state for result in results} == {State.PASSED}


def test_the_worker_reads_notebooks_too(classroom, solutions, full_marks):
    from grader.files import Submission

    result = classroom.grade(Submission("notebooks", "notebooks", in_notebooks(solutions)))
    assert result.points == full_marks
