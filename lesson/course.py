"""Read `course.toml`, the only place where points, titles and hints stand.

The dataclasses are the form of the file: a field without a default is a key that each table needs, and its type is
what the key must hold.
"""

from __future__ import annotations

import functools
import importlib.util
import re
import tomllib
from collections.abc import Callable, Collection, Mapping
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from typing import Any, NoReturn, get_args, get_origin, get_type_hints

COURSE_FILE = Path(__file__).with_name("course.toml")


class CourseError(ValueError):
    """A course file that cannot be used; its text names the file and the line."""


@dataclass(frozen=True, kw_only=True)
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


@dataclass(frozen=True, kw_only=True)
class Exercise:
    """What a student solves in one go.

    Attributes
    ----------
    functions
        Names of the graded functions, in the order in which they are written; empty if a text answers the exercise.
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
    text
        Name of the module-level string that answers the exercise, where no functions do; empty for none.
    text_file
        Name of the file that may hold this text instead.
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
    text: str = ""
    text_file: str = ""

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


@dataclass(frozen=True, kw_only=True)
class Topic:
    """One module, one page of text, one notebook."""

    id: str
    title: str


@dataclass(frozen=True, kw_only=True)
class Course:
    """All of `course.toml`.

    Attributes
    ----------
    importable
        Names of the modules of `lesson/` that graded code may import.
    """

    title: str
    topics: tuple[Topic, ...] = field(metadata={"key": "topic"})
    exercises: tuple[Exercise, ...] = field(metadata={"key": "exercise"})
    importable: tuple[str, ...] = ()

    @property
    def points(self) -> int:
        """The points of all exercises together, without a bonus."""
        return sum(exercise.points for exercise in self.exercises if not exercise.bonus)

    @property
    def functions(self) -> tuple[str, ...]:
        """Every graded function, in course order."""
        return tuple(name for exercise in self.exercises for name in exercise.functions)

    @property
    def texts(self) -> dict[str, str]:
        """The file that may hold a graded text instead, by the name of its string."""
        return {each.text: each.text_file for each in self.exercises if each.text}

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

    def needs_package(self, topic_id: str) -> bool:
        """Whether all exercises of a topic require a package, so that it means nothing where only NumPy is."""
        exercises = self.of_topic(topic_id)
        return bool(exercises) and all(exercise.requires for exercise in exercises)


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
        values = self._values(Course, data, "the course", lambda _key: 1)
        for key, tables in (("topic", values["topics"]), ("exercise", values["exercises"])):
            if not all(isinstance(table, dict) for table in tables):
                self._fail(1, f"each {key} must be a table under [[{key}]]")
        topics = tuple(self._topic(index, table) for index, table in enumerate(values["topics"]))
        topic_ids = {topic.id for topic in topics}
        if len(topic_ids) != len(topics):
            self._fail(self._line("topic", len(topics) - 1, "id"), "there are two topics of one id")
        exercises: list[Exercise] = []
        for index, table in enumerate(values["exercises"]):
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
            for key, names in (("functions", exercise.functions), ("text", (exercise.text,) if exercise.text else ())):
                for name in names:
                    if name in taken:
                        self._fail(self._line("exercise", index, key), f"{name} is graded in {taken[name]} already")
                    taken[name] = exercise.id
        return Course(**{**values, "topics": topics, "exercises": tuple(exercises)})

    def _topic(self, index: int, table: dict[str, Any]) -> Topic:
        line = functools.partial(self._line, "topic", index)
        return Topic(**self._values(Topic, table, f"topic number {index + 1}", line))

    def _exercise(self, index: int, table: dict[str, Any]) -> Exercise:
        what = f"exercise {table.get('id', f'number {index + 1}')}"
        line = functools.partial(self._line, "exercise", index)
        values = self._values(Exercise, table, what, line)
        checks = tuple(self._check(index, what, check) for check in values["checks"])
        exercise = Exercise(**{**values, "checks": checks})
        if len(exercise.hints) != 3:
            self._fail(line("hints"), f"{what} needs three hints")
        if not checks:
            self._fail(line("checks"), f"{what} has no checks")
        ids = [check.id for check in checks]
        if len(set(ids)) != len(ids):
            self._fail(line("checks"), f"{what} names a check twice")
        for position, check in enumerate(checks):
            for needed in check.needs:
                if needed not in ids[:position]:
                    self._fail(
                        line(f'{{ id = "{check.id}"'),
                        f"check {check.id} of {what} needs {needed!r}, which is not an earlier check of it",
                    )
        if bool(exercise.functions) == bool(exercise.text):
            self._fail(line("functions"), f"{what} must name either functions or a text")
        if bool(exercise.text) != bool(exercise.text_file):
            self._fail(line("text"), f"text and text_file of {what} belong together")
        if exercise.requires and not exercise.bonus:
            self._fail(line("requires"), f"{what} requires a package, so it must be a bonus")
        return exercise

    def _check(self, index: int, what: str, table: object) -> Check:
        line = self._line("exercise", index, "checks")
        if not isinstance(table, dict):
            self._fail(line, f"checks of {what} must be tables like {{ id = …, points = …, title = … }}")
        name = table.get("id", "without id")
        line = self._line("exercise", index, f'{{ id = "{name}"') or line
        values = self._values(Check, table, f"check {name} of {what}", lambda _key: line)
        check = Check(**values)
        if isinstance(check.points, bool) or check.points < 1:
            self._fail(line, f"check {name} of {what} must be worth at least 1 point")
        return check

    def _values(
        self, form: type[Any], table: Mapping[str, Any], what: str, line: Callable[[str], int]
    ) -> dict[str, Any]:
        """Return the values of a table by the names of a dataclass's fields, with their types checked.

        Parameters
        ----------
        form
            The dataclass. Tables inside the table stay as they are.
        what
            The table, for a sentence.
        line
            Returns the line of a key; that of the table for an empty one.
        """
        types = get_type_hints(form)
        known = {each.metadata.get("key", each.name): each for each in fields(form)}
        for key in table:
            if key not in known:
                self._fail(line(""), f"{what} has an unknown key {key!r}")
        values = {}
        for key, each in known.items():
            kind = types[each.name]
            plain = list if get_origin(kind) is tuple else kind
            if key not in table:
                if each.default is MISSING:
                    self._fail(line(""), f"{what} lacks {key!r}")
                continue
            if not isinstance(table[key], plain):
                self._fail(line(""), f"{key!r} of {what} must be a {plain.__name__}")
            if get_args(kind)[:1] == (str,):
                if not all(isinstance(item, str) for item in table[key]):
                    self._fail(line(key), f"{key} of {what} must be strings")
                values[each.name] = tuple(table[key])
            else:
                values[each.name] = table[key]
        return values

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
