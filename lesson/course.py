"""Read `course.toml`, the only place where points, titles and hints stand."""

from __future__ import annotations

import functools
import importlib.util
import re
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

COURSE_FILE = Path(__file__).with_name("course.toml")


class CourseError(ValueError):
    """A course file that cannot be used; its text names the file and the line."""


@dataclass(frozen=True)
class Check:
    """One claim about a student's functions, and what it is worth.

    Attributes
    ----------
    measured
        Whether it counts memory or work instead of comparing values.
    needs
        Checks of the same exercise of which at least one must pass before this one means anything.
    """

    id: str
    title: str
    points: int
    measured: bool = False
    needs: tuple[str, ...] = ()


@dataclass(frozen=True)
class Exercise:
    """What a student solves in one go.

    Attributes
    ----------
    functions
        Names of the graded functions, in the order in which they are written.
    builds_on
        Ids of earlier exercises whose functions this one may use.
    hints
        From a nudge to nearly the answer.
    call_seconds
        How long one call may take, where more is granted than usual.
    requires
        A package without which the exercise is skipped; empty for none.
    bonus
        Whether its points come on top of those of the course.
    """

    id: str
    topic: str
    title: str
    functions: tuple[str, ...]
    builds_on: tuple[str, ...]
    hints: tuple[str, ...]
    checks: tuple[Check, ...]
    call_seconds: int = 0
    requires: str = ""
    bonus: bool = False

    @property
    def points(self) -> int:
        """The points of all checks together."""
        return sum(check.points for check in self.checks)

    @property
    def can_be_graded_here(self) -> bool:
        """Return whether the package that it requires, if any, is installed."""
        spec = importlib.util.find_spec(self.requires) if self.requires else None
        # A folder that was left behind has no origin.
        return not self.requires or (spec is not None and spec.origin is not None)


@dataclass(frozen=True)
class Topic:
    """One module, one page of text, one notebook."""

    id: str
    title: str


@dataclass(frozen=True)
class Course:
    """All of `course.toml`."""

    title: str
    topics: tuple[Topic, ...]
    exercises: tuple[Exercise, ...]

    @property
    def points(self) -> int:
        """The points of all exercises together, without a bonus."""
        return sum(exercise.points for exercise in self.exercises if not exercise.bonus)

    @property
    def functions(self) -> tuple[str, ...]:
        """Every graded function, in course order."""
        return tuple(name for exercise in self.exercises for name in exercise.functions)

    @property
    def call_seconds(self) -> dict[str, float]:
        """How long a call of those functions may take that are granted more than usual."""
        return {name: each.call_seconds for each in self.exercises if each.call_seconds for name in each.functions}

    @property
    def packages(self) -> frozenset[str]:
        """Those packages that exercises require which are installed here."""
        return frozenset(each.requires for each in self.exercises if each.requires and each.can_be_graded_here)

    def required(self, packages: Collection[str]) -> dict[str, str]:
        """Return the package that a function requires, for those that require one of these."""
        return {name: each.requires for each in self.exercises if each.requires in packages for name in each.functions}

    def exercise(self, exercise_id: str) -> Exercise:
        """Return the exercise of that id; `KeyError` with the known ids when there is none."""
        for exercise in self.exercises:
            if exercise.id == exercise_id:
                return exercise
        known = ", ".join(exercise.id for exercise in self.exercises)
        raise KeyError(f"there is no exercise {exercise_id!r}; the course has {known}")

    def of_topic(self, topic_id: str) -> tuple[Exercise, ...]:
        """Return the exercises of one topic."""
        return tuple(exercise for exercise in self.exercises if exercise.topic == topic_id)


@functools.cache
def load_course(path: Path = COURSE_FILE) -> Course:
    """Read and check a course file.

    Raises
    ------
    CourseError
        With one sentence that names the line, when the file is not valid.
    """
    text = path.read_text(encoding="utf-8")
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise CourseError(f"{path.name}: {error}") from None
    return _Reader(path.name, text).course(data)


class _Reader:
    """Turn parsed TOML into a `Course`, and complain by line number."""

    def __init__(self, name: str, text: str) -> None:
        self._name = name
        self._lines = text.splitlines()

    def course(self, data: dict[str, Any]) -> Course:
        self._keys(data, {"title": str, "topic": list, "exercise": list}, 1, "the course")
        topics = tuple(self._topic(index, table) for index, table in enumerate(data["topic"]))
        topic_ids = {topic.id for topic in topics}
        if len(topic_ids) != len(topics):
            self._fail(self._line("topic", len(topics) - 1, "id"), "there are two topics of one id")
        exercises: list[Exercise] = []
        for index, table in enumerate(data["exercise"]):
            exercise = self._exercise(index, table)
            line = functools.partial(self._line, "exercise", index)
            if exercise.id in {known.id for known in exercises}:
                self._fail(line("id"), f"there are two exercises {exercise.id!r}")
            if exercise.topic not in topic_ids:
                self._fail(line("topic"), f"there is no topic {exercise.topic!r}")
            for earlier in exercise.builds_on:
                if earlier not in {known.id for known in exercises}:
                    self._fail(
                        line("builds_on"),
                        f"{exercise.id} builds on {earlier!r}, which is not an earlier exercise",
                    )
            exercises.append(exercise)
        taken: dict[str, str] = {}
        for index, exercise in enumerate(exercises):
            for function in exercise.functions:
                if function in taken:
                    self._fail(
                        self._line("exercise", index, "functions"),
                        f"{function} is graded in {taken[function]} already",
                    )
                taken[function] = exercise.id
        return Course(data["title"], topics, tuple(exercises))

    def _topic(self, index: int, table: dict[str, Any]) -> Topic:
        line = self._line("topic", index)
        self._keys(table, {"id": str, "title": str}, line, f"topic number {index + 1}")
        return Topic(table["id"], table["title"])

    def _exercise(self, index: int, table: dict[str, Any]) -> Exercise:
        what = f"exercise {table.get('id', f'number {index + 1}')}"
        fields = {
            "id": str,
            "topic": str,
            "title": str,
            "functions": list,
            "builds_on": list,
            "hints": list,
            "checks": list,
        }
        optional = {"call_seconds": int, "requires": str, "bonus": bool}
        self._keys(table, fields, self._line("exercise", index), what, optional)
        for field in ("functions", "builds_on", "hints"):
            if not all(isinstance(item, str) for item in table[field]):
                self._fail(self._line("exercise", index, field), f"{field} of {what} must be strings")
        if len(table["hints"]) != 3:
            self._fail(self._line("exercise", index, "hints"), f"{what} needs three hints")
        checks = tuple(self._check(index, what, check) for check in table["checks"])
        if not checks:
            self._fail(self._line("exercise", index, "checks"), f"{what} has no checks")
        ids = [check.id for check in checks]
        if len(set(ids)) != len(ids):
            self._fail(self._line("exercise", index, "checks"), f"{what} names a check twice")
        for position, check in enumerate(checks):
            for needed in check.needs:
                if needed not in ids[:position]:
                    self._fail(
                        self._line("exercise", index, f'{{ id = "{check.id}"'),
                        f"check {check.id} of {what} needs {needed!r}, which is not an earlier check of it",
                    )
        if table.get("requires") and not table.get("bonus"):
            self._fail(self._line("exercise", index, "requires"), f"{what} requires a package, so it must be a bonus")
        return Exercise(
            table["id"],
            table["topic"],
            table["title"],
            tuple(table["functions"]),
            tuple(table["builds_on"]),
            tuple(table["hints"]),
            checks,
            table.get("call_seconds", 0),
            table.get("requires", ""),
            table.get("bonus", False),
        )

    def _check(self, index: int, what: str, table: object) -> Check:
        line = self._line("exercise", index, "checks")
        if not isinstance(table, dict):
            self._fail(line, f"checks of {what} must be tables like {{ id = …, points = …, title = … }}")
        name = table.get("id", "without id")
        line = self._line("exercise", index, f'{{ id = "{name}"') or line
        optional = {"measured": bool, "needs": list}
        self._keys(table, {"id": str, "points": int, "title": str}, line, f"check {name} of {what}", optional)
        if isinstance(table["points"], bool) or table["points"] < 1:
            self._fail(line, f"check {name} of {what} must be worth at least 1 point")
        measured, needs = table.get("measured", False), tuple(table.get("needs", ()))
        return Check(table["id"], table["title"], table["points"], measured, needs)

    def _keys(
        self,
        table: Mapping[str, object],
        required: Mapping[str, type],
        line: int,
        what: str,
        optional: Mapping[str, type] | None = None,
    ) -> None:
        known = {**required, **(optional or {})}
        for key in table:
            if key not in known:
                self._fail(line, f"{what} has an unknown key {key!r}")
        for key, kind in known.items():
            if key not in table:
                if key in required:
                    self._fail(line, f"{what} lacks {key!r}")
            elif not isinstance(table[key], kind):
                self._fail(line, f"{key!r} of {what} must be a {kind.__name__}")

    def _line(self, table: str, index: int, key: str = "") -> int:
        """Return the line of a key of the index-th `[[table]]`, else the table's own line."""
        start = -1
        for number, line in enumerate(self._lines, 1):
            if line.strip() == f"[[{table}]]":
                index -= 1
                if index < 0 and start < 0:
                    start = number
                elif start > 0:
                    break
            elif start > 0:
                if line.startswith("[["):
                    break
                if key and re.match(rf"\s*{re.escape(key)}(?!\w)", line):
                    return number
        return max(start, 1)

    def _fail(self, line: int, sentence: str) -> NoReturn:
        raise CourseError(f"{self._name}, line {line}: {sentence}.")
