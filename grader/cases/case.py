"""What a case is, and where cases come from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol


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
        The right answer; a plain value, or None where something is measured instead.
    """

    function: str
    inputs: Mapping[str, Any]
    expected: Any = None


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
