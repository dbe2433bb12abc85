"""JUnit XML, as Jenkins' `junit-10.xsd` describes it: a suite for each submission, a case for each check.

Points stand in the properties of a suite, because that schema knows none at a case. What only the instructor may
see is left out: continuous integration shows these files to everybody.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from xml.sax.saxutils import XMLGenerator
from xml.sax.xmlreader import AttributesImpl

from grader.formats.student_view import check_text, remarks
from grader.formats.writing import write_atomically
from grader.messages import _
from grader.results import CheckResult, ExerciseResult, RunResults, State, SubmissionResult
from grader.words import printable

# A failure is a wrong answer, an error an unplanned end, and what was skipped says nothing about an answer.
_ELEMENTS = {
    State.FAILED: "failure",
    State.ERROR: "error",
    State.TIMEOUT: "error",
    State.MEMORY: "error",
    State.CRASHED: "error",
    State.UNGRADABLE: "error",
    State.GRADER_ERROR: "error",
    State.NOT_ATTEMPTED: "skipped",
    State.BLOCKED: "skipped",
    State.SKIPPED: "skipped",
}


def write(run: RunResults, path: Path) -> None:
    """Write a run as JUnit XML, one submission at a time."""
    write_atomically(path, _parts(run))


def _parts(run: RunResults) -> Iterator[str]:
    buffer = io.StringIO()
    writer = _Writer(buffer)
    writer.startDocument()
    writer.begin("testsuites", name=run.course_title or "grader")
    for result in run.submissions:
        _suite(writer, run, result)
        yield buffer.getvalue()
        buffer.seek(0)
        buffer.truncate()
    writer.end("testsuites")
    yield buffer.getvalue()


class _Writer(XMLGenerator):
    """Elements from strings that may hold what XML forbids, each on a line of its own."""

    def __init__(self, out: io.StringIO) -> None:
        super().__init__(out, encoding="utf-8", short_empty_elements=True)

    def begin(self, element: str, **attributes: str) -> None:
        self.startElement(element, AttributesImpl({name: printable(value) for name, value in attributes.items()}))
        self.ignorableWhitespace("\n")

    def end(self, element: str) -> None:
        self.endElement(element)
        self.ignorableWhitespace("\n")

    def put(self, element: str, text: str = "", **attributes: str) -> None:
        """Write an element without children."""
        self.startElement(element, AttributesImpl({name: printable(value) for name, value in attributes.items()}))
        if text:
            self.characters(printable(text))
        self.end(element)


def _suite(writer: _Writer, run: RunResults, result: SubmissionResult) -> None:
    elements = [_ELEMENTS.get(check.state) for exercise in result.exercises for check in exercise.checks]
    writer.begin(
        "testsuite",
        name=result.id,
        tests=str(len(elements)),
        failures=str(elements.count("failure")),
        errors=str(elements.count("error")),
        skipped=str(elements.count("skipped")),
        time=f"{result.seconds:.3f}",
    )
    writer.begin("properties")
    for name, value in _properties(run, result):
        writer.put("property", name=name, value=value)
    writer.end("properties")
    for exercise in result.exercises:
        for check in exercise.checks:
            _case(writer, result, exercise, check)
    text = "\n".join(remarks(result))
    if text:
        writer.put("system-out", text)
    writer.end("testsuite")


def _properties(run: RunResults, result: SubmissionResult) -> Iterator[tuple[str, str]]:
    yield "name", result.name
    yield "isolation", run.isolation
    yield "state", result.state.value
    yield "points", _points(result.points)
    yield "max_points", str(result.max_points)
    for exercise in result.exercises:
        exercise_id = exercise.exercise.id
        yield f"{exercise_id}.points", _points(result.points_of(exercise))
        yield f"{exercise_id}.max_points", str(exercise.exercise.points)
        override = result.override(exercise_id)
        if override is not None:
            yield f"{exercise_id}.override", override.reason
        for check in exercise.checks:
            yield f"{exercise_id}.{check.check.id}.points", _points(check.points)
            yield f"{exercise_id}.{check.check.id}.max_points", str(check.check.points)


def _points(points: int | None) -> str:
    return State.GRADER_ERROR.value if points is None else str(points)


def _case(writer: _Writer, result: SubmissionResult, exercise: ExerciseResult, check: CheckResult) -> None:
    attributes = {
        "name": f"{check.check.id}: {_(check.check.title)}",
        "classname": f"{result.id}.{exercise.exercise.id}",
    }
    element = _ELEMENTS.get(check.state)
    if element is None:
        writer.put("testcase", **attributes)
        return
    writer.begin("testcase", **attributes)
    feedback = check.feedback
    kind = (check.reason or check.state).value
    message = (feedback.cause or feedback.got) if feedback else ""
    writer.put(element, check_text(check), type=kind, message=message or check.state.value)
    writer.end("testcase")
