"""What a case is, and where cases come from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final, Protocol


class NoAnswer(Enum):
    """What stands in the place of an expected answer where something is measured or claimed instead."""

    NO_ANSWER = "no answer"


NO_ANSWER: Final = NoAnswer.NO_ANSWER


@dataclass(frozen=True)
class Case:
    """One question to a student's code, with its answer.

    Attributes
    ----------
    function
        The graded function that is asked.
    inputs
        Its arguments by name, in the order of its signature; plain values.
    expected
        The right answer, a plain value; `NO_ANSWER` where something is measured or claimed instead.
    """

    function: str
    inputs: Mapping[str, Any]
    expected: Any = NO_ANSWER

    @property
    def has_answer(self) -> bool:
        """Whether there is a right answer to compare with."""
        return self.expected is not NO_ANSWER


class Cases(Protocol):
    """A source of cases."""

    @property
    def public(self) -> bool:
        """Return whether students may see the inputs."""
        ...

    @property
    def reference(self) -> Mapping[str, Callable[..., Any]]:
        """The graded functions of the reference; empty where there is none."""
        ...

    def of(self, exercise_id: str) -> Mapping[str, Sequence[Case]]:
        """Return the cases of one exercise by the name of their check."""
        ...
