"""Wrong and right answers that grade the grader.

Each is a small Python file in a folder named like an exercise or a topic; its header says what it does and which checks
it must lose:

    \"\"\"The bias is forgotten.\"\"\"
    # loses: step1.linear step1.layer step1.model
    # says: bias

It is handed in as the topic's solution followed by this file, so that its functions take the place of the right ones;
with `# alone: yes` it is handed in as it is. An answer can also change a word of the solution's prompt:
`POLICY_PROMPT = POLICY_PROMPT.replace("34", "43")`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from grader.results import ExerciseResult, State
from lesson.course import Course

_HEADER = re.compile(r"^# (loses|says|alone): *(.*)$", re.MULTILINE)


@dataclass(frozen=True, kw_only=True)
class Answer:
    """One answer, and what the grader has to make of it.

    Attributes
    ----------
    texts
        The file of each graded text of the topic, by the name of its string.
    """

    path: Path
    sentence: str
    topic: str
    loses: frozenset[str]
    says: str
    alone: bool
    texts: Mapping[str, str]

    @property
    def name(self) -> str:
        """Return what an author calls it: its folder and its file, without suffix."""
        return f"{self.path.parent.name}/{self.path.stem}"

    def files(self, root: Path) -> dict[str, bytes]:
        """Return the submission."""
        text = self.path.read_text(encoding="utf-8")
        if not self.alone:
            solution = (root / "solutions" / f"{self.topic}.py").read_text(encoding="utf-8")
            text = f"{solution}\n\n{text}"
        return {f"{self.topic}.py": text.encode()}

    def complaints(self, results: tuple[ExerciseResult, ...]) -> list[str]:
        """Return what is wrong with a verdict on this answer; empty when it is the right one."""
        if self.alone:  # it answers what it answers
            results = tuple(result for result in results if result.state is not State.NOT_ATTEMPTED)
        lost = {
            f"{result.exercise.id}.{check.check.id}": check
            for result in results
            for check in result.checks
            if check.state is not State.PASSED
        }
        due = set(self.loses)
        for result in results:
            for check in result.exercise.checks:
                # What counts only with others is lost with all of them.
                needs = {f"{result.exercise.id}.{needed}" for needed in check.needs}
                if needs and needs <= self.loses:
                    due.add(f"{result.exercise.id}.{check.id}")
        complaints = []
        if lost.keys() - due:
            complaints.append(f"loses {_listed(lost.keys() - due)}, which it should not")
        if due - lost.keys():
            complaints.append(f"does not lose {_listed(due - lost.keys())}, which it should")
        faults = [check.feedback for check in lost.values() if check.state is State.GRADER_ERROR and check.feedback]
        complaints += [f"meets a fault of the grader: {fault.hidden.rstrip()}" for fault in faults[:1]]
        said = " ".join(f"{check.feedback.got} {check.feedback.cause}" for check in lost.values() if check.feedback)
        if self.says and self.says.lower() not in said.lower():
            complaints.append(f"is not told {self.says!r}, but: {said}")
        return complaints


def read_answers(folder: Path, course: Course) -> Iterator[Answer]:
    """Yield every answer in the folders of this one, which are named like exercises or topics."""
    topics = {exercise.id: exercise.topic for exercise in course.exercises}
    topics |= {topic.id: topic.id for topic in course.topics}
    for path in sorted(folder.glob("*/*.py")):
        text = path.read_text(encoding="utf-8")
        header = dict(_HEADER.findall(text))
        sentence = ast.get_docstring(ast.parse(text))
        if not sentence:
            raise ValueError(f"{path} lacks its docstring")
        if path.parent.name not in topics:
            raise ValueError(f"{path.parent} is named like no exercise and no topic")
        topic = topics[path.parent.name]
        yield Answer(
            path=path,
            sentence=sentence,
            topic=topic,
            loses=frozenset(header.get("loses", "").split()),
            says=header.get("says", "").strip(),
            alone=header.get("alone") == "yes",
            texts={exercise.text: exercise.text_file for exercise in course.of_topic(topic) if exercise.text},
        )


def _listed(names: set[str] | frozenset[str]) -> str:
    return ", ".join(sorted(names))
