"""The files that are generated from the solutions and the course, and committed."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path

from grader.author.catalogue import catalogue
from grader.author.diagrams import diagrams
from grader.author.notebooks import notebooks
from grader.author.reproduction import pages
from grader.author.template import skeleton
from grader.cases.case import NO_ANSWER, Case
from grader.cases.drawing import draw_cases
from grader.cases.fresh import reference_functions
from grader.cases.recorded import read_cases, write_cases
from grader.checks.comparing import difference
from lesson.course import Course

# The seed of the recorded cases. Those of hidden inputs are drawn for each run.
PUBLIC_SEED = 20_161_604


def build(root: Path, course: Course) -> list[Path]:
    """Write every generated file that is not current; returns the ones that were written."""
    written = []
    for path, content in _texts(root, course):
        if not path.exists() or path.read_bytes() != content:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
            written.append(path)
    for path, cases in _public_cases(root, course):
        if not _same_cases(path, cases):
            path.parent.mkdir(parents=True, exist_ok=True)
            write_cases(path, cases)
            written.append(path)
    return written


def outdated(root: Path, course: Course) -> list[Path]:
    """Return the generated files that differ from what would be written now."""
    stale = [path for path, content in _texts(root, course) if not path.exists() or path.read_bytes() != content]
    return stale + [path for path, cases in _public_cases(root, course) if not _same_cases(path, cases)]


def _texts(root: Path, course: Course) -> Iterator[tuple[Path, bytes]]:
    skeletons = {}
    for topic in course.topics:
        source = (root / "solutions" / f"{topic.id}.py").read_text(encoding="utf-8")
        skeletons[topic.id] = skeleton(source, course, topic)
        yield root / "student_template" / f"{topic.id}.py", skeletons[topic.id].encode()
    for name, svg in diagrams().items():
        yield root / "lesson" / "figures" / f"{name}.svg", svg.encode()
    for language in sorted((root / "lesson" / "text").iterdir()):
        texts = {path.stem: path.read_text(encoding="utf-8") for path in language.glob("*.md")}
        for name, made in notebooks(texts, skeletons, course).items():
            yield root / "notebooks" / language.name / f"{name}.ipynb", made.encode()
    yield root / "grader" / "locale" / "grader.pot", catalogue(root, course)
    for exercise in course.exercises:
        if exercise.text:
            text = getattr(importlib.import_module(f"solutions.{exercise.topic}"), exercise.text)
            yield root / "outputs" / exercise.text_file, text.encode()
    for path, page in pages(root).items():
        yield path, page.encode()


def _public_cases(root: Path, course: Course) -> Iterator[tuple[Path, dict[str, list[Case]]]]:
    reference = reference_functions(course)
    for exercise in course.exercises:
        path = root / "grader" / "cases" / "public" / f"{exercise.id}.npz"
        yield path, draw_cases(exercise.id, PUBLIC_SEED, reference)


def _same_cases(path: Path, cases: dict[str, list[Case]]) -> bool:
    """Return whether a file holds these cases; another processor may round the last bit of an answer differently."""
    if not path.exists():
        return False
    recorded = read_cases(path)
    if recorded.keys() != cases.keys():
        return False
    return all(
        len(recorded[check]) == len(group) and all(map(_same_case, recorded[check], group))
        for check, group in cases.items()
    )


def _same_case(a: Case, b: Case) -> bool:
    if a.function != b.function or list(a.inputs) != list(b.inputs):
        return False
    return difference(dict(a.inputs), dict(b.inputs)) is None and _equal_answers(a.expected, b.expected)


def _equal_answers(a: object, b: object) -> bool:
    if a is NO_ANSWER or b is NO_ANSWER:
        return a is b
    return difference(a, b) is None
