"""The words around a verdict: each once, and each for those who may read it."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest

from grader.results import Feedback, State
from grader.words import SYMBOLS, Reader, feedback_rows, state_name

ROOT = Path(__file__).parents[1]
STYLE = (ROOT / "web" / "src" / "style" / "work.css").read_text(encoding="utf-8")
FIELDS = {field.name for field in fields(Feedback)}


def test_every_state_has_a_word_and_a_symbol_of_its_own() -> None:
    assert list(SYMBOLS) == list(State)
    assert len(set(SYMBOLS.values())) == len(State)
    assert all(len(symbol) == 1 for symbol in SYMBOLS.values())
    assert len({state_name(state) for state in State}) == len(State)


def test_only_the_instructor_sees_what_is_hidden_and_only_public_inputs_may_be_printed() -> None:
    assert set(Reader.INSTRUCTOR.value) == FIELDS
    assert set(Reader.STUDENT_AT_WORK.value) == FIELDS - {"hidden"}
    assert set(Reader.STUDENT_OF_A_REPORT.value) == FIELDS - {"hidden", "printed"}


@pytest.mark.parametrize("reader", Reader)
def test_a_reader_sees_each_field_once_in_the_same_order(reader: Reader) -> None:
    feedback = Feedback(**{name: f" {name}\n" for name in FIELDS})
    shown = feedback_rows(feedback, reader)
    assert tuple(row.field for row in shown) == reader.value
    assert [row.text for row in shown] == [" printed" if field == "printed" else field for field in reader.value]
    assert list(reader.value) == [field for field in Reader.INSTRUCTOR.value if field in reader.value]


@pytest.mark.parametrize("reader", Reader)
def test_nothing_to_say_makes_no_row(reader: Reader) -> None:
    assert feedback_rows(None, reader) == []
    assert feedback_rows(Feedback(got=" \n", printed="\n"), reader) == []


def test_the_page_marks_states_as_the_grader_does() -> None:
    marks = re.findall(r"((?::is\()?\[data-state=[^{}]*?)\s*> \.check\s+\.mark::before \{\s*content: \"(.)\"", STYLE)
    found = {state: symbol for selector, symbol in marks for state in re.findall(r'data-state="([^"]+)"', selector)}
    assert found.pop("waiting") == "…"  # the page's own
    assert set(found) <= set(State)
    # What is wrong in one way or another has one mark on the page, where the word stands beside it; a dash is longer.
    for state, symbol in found.items():
        wrong = state not in (State.PASSED, State.BLOCKED)
        assert symbol.replace("\N{EN DASH}", "-") == SYMBOLS[State.FAILED if wrong else State(state)]
