"""Collect every sentence that a student can see into `locale/grader.pot`."""

from __future__ import annotations

import io
from datetime import UTC, datetime
from pathlib import Path

from lesson.course import Course

# The catalogue changes when a sentence does, not with the day on which it is built.
_DATE = datetime(2026, 1, 1, tzinfo=UTC)


def catalogue(root: Path, course: Course) -> bytes:
    """Return the gettext template of the sentences in `grader/` and `lesson/` and in the course file."""
    from babel.messages import Catalog
    from babel.messages.extract import extract_from_file
    from babel.messages.pofile import write_po

    template = Catalog(project="checkpointing-course", charset="utf-8", creation_date=_DATE, revision_date=_DATE)
    for path in sorted([*(root / "grader").rglob("*.py"), *(root / "lesson").rglob("*.py")]):
        found = extract_from_file("python", path, keywords={"_": None, "ngettext": (1, 2)})
        for _line, message, _comments, _context in found:
            template.add(message, locations=[(path.relative_to(root).as_posix(), 0)])
    for sentence in _course_sentences(course):
        template.add(sentence, locations=[("lesson/course.toml", 0)])
    buffer = io.BytesIO()
    write_po(buffer, template, width=0, include_lineno=False)
    return buffer.getvalue()


def _course_sentences(course: Course) -> list[str]:
    sentences = [course.title, *(topic.title for topic in course.topics)]
    for exercise in course.exercises:
        sentences += [exercise.title, *exercise.hints, *(check.title for check in exercise.checks)]
    return list(dict.fromkeys(sentences))
