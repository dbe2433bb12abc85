"""The contract of a student: the same calls come to the same wherever the functions run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from grader.isolation.sandbox import detect
from grader.isolation.zygote import Zygotes
from grader.student.handle import Student
from grader.student.here import InProcessStudent, LocalStudent
from grader.student.outcomes import (
    Conflict,
    Exited,
    Missing,
    OutOfMemory,
    Raised,
    Stub,
    TimedOut,
    Unreadable,
)
from grader.student.sealed import SealedStudent
from grader.worker.namespace import NamespaceLoader
from lesson.course import load_course

FUNCTIONS = ("relu", "scale", "twice")
REFERENCE = {"relu": lambda x: np.maximum(x, 0), "scale": lambda x: 10 * x, "twice": lambda x: 20 * x}
SECONDS = 1.0


@dataclass(frozen=True)
class Place:
    """Somewhere for a student's functions to run.

    Attributes
    ----------
    make
        Returns a student with these files.
    has_files
        Whether functions are in files, so that several can define one.
    has_reference
        Whether the reference can answer.
    """

    make: Callable[..., Any]
    has_files: bool = True
    has_reference: bool = True


def in_this_process(files: Mapping[str, bytes]) -> LocalStudent:
    return LocalStudent(files, FUNCTIONS, REFERENCE, SECONDS)


def as_names_of_a_notebook(files: Mapping[str, bytes]) -> InProcessStudent:
    namespace: dict[str, Any] = {"__name__": "__main__"}
    for text in files.values():
        exec(compile(text, "<cell>", "exec"), namespace)
    return InProcessStudent(NamespaceLoader(namespace, FUNCTIONS), (), SECONDS)


@pytest.fixture(scope="module", params=["process", "notebook", "bwrap", "landlock"])
def place(request) -> Iterator[Place]:
    if request.param == "process":
        yield Place(in_this_process)
    elif request.param == "notebook":
        yield Place(as_names_of_a_notebook, has_files=False, has_reference=False)
    else:
        isolation = detect(request.param)
        if isolation.level != request.param:
            pytest.skip(f"{request.param} does not work here")
        zygotes = Zygotes(isolation, load_course().importable)
        yield Place(lambda files: SealedStudent(zygotes, files, FUNCTIONS, REFERENCE, call_seconds=SECONDS))
        zygotes.close()


@pytest.fixture
def student_with(place: Place) -> Iterator[Callable[..., Student]]:
    made = []

    def make(*texts: str) -> Student:
        student = place.make({f"part{number}.py": text.encode() for number, text in enumerate(texts)})
        made.append(student)
        return student

    yield make
    for student in made:
        student.close()


def test_a_call_returns_a_plain_value(student_with):
    student = student_with("def relu(x):\n    return {'y': (x * 2, 'two')}")
    answer = student.call("relu", np.arange(3.0))
    assert answer["y"][1] == "two"
    assert np.array_equal(answer["y"][0], [0, 2, 4])


def test_every_call_gets_copies_of_its_arguments(student_with):
    x = np.ones(3)
    student = student_with("def relu(x):\n    x += 1\n    return x")
    assert np.array_equal(student.call("relu", x), [2, 2, 2])
    assert np.array_equal(student.call("relu", x), [2, 2, 2])
    assert np.array_equal(x, [1, 1, 1])


def test_what_comes_back_is_a_copy_too(student_with):
    student = student_with("kept = __import__('numpy').zeros(2)\ndef relu(x):\n    return kept")
    student.call("relu", 1)[:] = 5
    assert np.array_equal(student.call("relu", 1), [0, 0])


def test_a_stub_is_told_from_an_error(student_with):
    student = student_with("def relu(x):\n    raise NotImplementedError")
    with pytest.raises(Stub) as caught:
        student.call("relu", 1)
    assert caught.value.function == "relu"


def test_a_missing_function(student_with):
    with pytest.raises(Missing) as caught:
        student_with("x = 1").call("relu", 1)
    assert caught.value.function == "relu"


def test_of_two_definitions_in_one_place_the_last_counts(student_with):
    student = student_with("def relu(x):\n    return 1\n\ndef relu(x):\n    return 2")
    assert student.call("relu", 0) == 2


def test_two_different_definitions_in_two_files_are_a_conflict(student_with, place):
    if not place.has_files:
        pytest.skip("a notebook's names have one value each")
    student = student_with("def relu(x):\n    return 1", "def relu(x):\n    return 2")
    with pytest.raises(Conflict) as caught:
        student.call("relu", 0)
    assert set(caught.value.files) == {"part0.py", "part1.py"}


def test_a_file_that_is_not_python(student_with, place):
    if not place.has_files:
        pytest.skip("a cell that is not Python defines nothing")
    with pytest.raises(Unreadable) as caught:
        student_with("def relu(x:\n    pass").call("relu", 0)
    assert (caught.value.error.file, caught.value.error.line) == ("part0.py", 1)


def test_an_exception_says_what_and_where(student_with, place):
    student = student_with("def relu(x):\n    raise ValueError('too small')")
    with pytest.raises(Raised) as caught:
        student.call("relu", 1)
    error = caught.value.error
    assert (error.type, error.message, error.base) == ("ValueError", "too small", "ValueError")
    if place.has_files:
        assert (error.file, error.line) == ("part0.py", 2)


@pytest.mark.parametrize(
    ("statement", "outcome"),
    [("raise MemoryError", OutOfMemory), ("raise SystemExit(3)", Exited), ("import sys; sys.exit()", Exited)],
)
def test_other_ends_of_a_call(student_with, statement, outcome):
    with pytest.raises(outcome):
        student_with(f"def relu(x):\n    {statement}").call("relu", 1)


def test_a_call_that_never_ends_is_given_up(student_with):
    student = student_with("def relu(x):\n    while True:\n        pass\n\ndef scale(x):\n    return x")
    with pytest.raises(TimedOut) as caught:
        student.call("relu", 1)
    assert (caught.value.function, caught.value.seconds) == ("relu", SECONDS)
    assert student.call("scale", 4) == 4


def test_what_is_printed_is_kept_apart(student_with):
    student = student_with("def relu(x):\n    print('looking at', x)\n    return x")
    assert student.call("relu", 7) == 7
    assert "".join(student.printed) == "looking at 7\n"


def test_an_answer_is_asked_for_once_until_it_is_forgotten(student_with):
    student = student_with("asked = []\ndef relu(x):\n    asked.append(x)\n    return len(asked)")
    ask = lambda: student.call("relu", 1)  # noqa: E731
    assert [student.once("first", ask), student.once("first", ask), student.once("second", ask)] == [1, 1, 2]
    student.forget()
    assert student.once("first", ask) == 3


def test_an_outcome_is_remembered_like_an_answer(student_with):
    student = student_with("asked = []\ndef relu(x):\n    asked.append(x)\n    raise ValueError(len(asked))")
    for _ in range(2):
        with pytest.raises(Raised) as caught:
            student.once("key", lambda: student.call("relu", 1))
        assert caught.value.error.message == "1"


def test_the_reference_answers_in_the_place_of_functions_that_are_wrong(student_with, place):
    student = student_with("def scale(x):\n    return -x\n\ndef twice(x):\n    return 2 * scale(x)")
    answered = student.answered_by_reference(["scale"])
    if not place.has_reference:
        assert answered is None
        return
    assert student.call("twice", 3) == -6
    with answered:
        assert student.call("twice", 3) == 60
    assert student.call("twice", 3) == -6


def test_functions_get_their_own_code_back_even_if_grading_fails(student_with, place):
    student = student_with("def scale(x):\n    return -x\n\ndef twice(x):\n    return 2 * scale(x)")
    answered = student.answered_by_reference(["scale"])
    if answered is None:
        pytest.skip("no reference answers here")
    with suppress(KeyError), answered:
        raise KeyError
    assert student.call("twice", 3) == -6
