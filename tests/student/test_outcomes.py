"""Outcomes are types: each has a state, a reason and a sentence, and none is forgotten."""

from dataclasses import fields
from typing import get_args

import pytest

from grader.checks.explaining import explain
from grader.results import State
from grader.student import outcomes
from grader.student.outcomes import AnyOutcome, Outcome, StudentError

ERROR = StudentError(type="ValueError", message="two\nlines", base="ValueError", file="work.py", line=3)
KINDS = [kind for kind in vars(outcomes).values() if isinstance(kind, type) and Outcome in kind.__mro__[1:]]
FIELDS = {
    "function": "relu",
    "file": "prompt.md",
    "files": ("a.py", "b.py"),
    "error": ERROR,
    "seconds": 5.0,
    "how": "9",
}


def test_every_outcome_is_one_that_can_be_told_apart():
    assert set(KINDS) == set(get_args(AnyOutcome))


@pytest.mark.parametrize("public", [True, False])
@pytest.mark.parametrize("kind", KINDS)
def test_every_outcome_has_a_sentence(kind, public):
    outcome = kind(**{field.name: FIELDS[field.name] for field in fields(kind)})
    feedback = explain(outcome, public=public)
    assert feedback.called == "relu"
    assert feedback.got.endswith((".", "lines"))
    assert feedback.expected
    assert ("two\nlines" in feedback.got) <= public


def test_reasons_differ_and_no_outcome_is_a_pass():
    assert len({kind.reason for kind in KINDS}) == len(KINDS)
    assert State.PASSED not in {kind.state for kind in KINDS}
