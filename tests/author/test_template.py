"""The skeleton keeps what students are given and nothing that answers."""

import ast

import pytest
from notebook_tools import ROOT, functions_of

from grader.author.template import skeleton
from lesson.course import load_course

COURSE = load_course()
TOPIC = next(topic for topic in COURSE.topics if topic.id == "policy")
SOLUTION = '''"""A topic."""

import math

Number = float


def given_half(x):
    """Halve. Given, not graded."""
    return x / 2


# What both answers have in common.
def _shared(x):
    return math.sqrt(x)


def plan_policy(config, memory_gb):
    """Find a plan."""
    return _shared(memory_gb)


def _used_below(x):
    """Return the same."""
    return x


POLICY_PROMPT = """\\
A prompt
of several lines.
"""
'''
SKELETON = '''"""A topic."""

import math

Number = float


def given_half(x):
    """Halve. Given, not graded."""
    return x / 2


def plan_policy(config, memory_gb):
    """Find a plan."""
    # TODO policy: your code.
    raise NotImplementedError


# TODO prompt: your text, here or in a file prompt-activation-recompute-policy.md.
POLICY_PROMPT = ""
'''


def test_answers_and_their_helpers_go_and_the_rest_stays():
    assert skeleton(SOLUTION, COURSE, TOPIC) == SKELETON


def test_a_missing_function_is_named():
    with pytest.raises(ValueError, match=r"solutions/policy\.py lacks plan_policy"):
        skeleton(SOLUTION.replace("plan_policy", "plan"), COURSE, TOPIC)


@pytest.mark.parametrize("topic", [topic.id for topic in COURSE.topics])
def test_no_private_function_of_the_reference_is_given_away(topic):
    source = (ROOT / "student_template" / f"{topic}.py").read_text(encoding="utf-8")
    assert [name for name in functions_of(source) if name.startswith("_")] == []
    names = {node.id for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Name)}
    solution = functions_of((ROOT / "solutions" / f"{topic}.py").read_text(encoding="utf-8"))
    assert names.isdisjoint(name for name in solution if name.startswith("_"))
