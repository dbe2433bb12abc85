"""An expected answer may be None, and whatever the grader itself gets wrong is said in full to authors."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from grader.author.answers import Answer
from grader.author.check import AuthorCheck, Part
from grader.cases.case import Case
from grader.cases.recorded import RecordedCases, read_cases, write_cases
from grader.checks.comparing import difference
from grader.grading import CheckSession
from grader.results import Reason, State
from grader.student.here import LocalStudent

ROOT = Path(__file__).parents[2]


class NoneIsRight(RecordedCases):
    """Step 6, whose right answer is None for once."""

    def of(self, exercise_id: str) -> Mapping[str, list[Case]]:
        groups = super().of(exercise_id)
        return {check: [replace(case, expected=None) for case in cases] for check, cases in groups.items()}


@pytest.mark.parametrize(
    ("source", "state"),
    [
        ("def optimal_segment(n_layers): return None", State.PASSED),
        ("def optimal_segment(n_layers): return 3", State.FAILED),
        ("def optimal_segment(n_layers): return []", State.FAILED),
    ],
)
def test_none_is_an_answer_like_any_other(course, source, state):
    student = LocalStudent({"cost_model.py": source.encode()}, course.functions)
    (result,) = CheckSession(course, NoneIsRight()).grade(student, [course.exercise("step6")])
    assert result.checks[0].state is state


def test_none_differs_from_everything_else():
    assert difference(None, None) is None
    assert difference(0, None).expected == "None"
    assert difference({"a": None, "b": 1.0}, {"a": None, "b": 1.0}) is None


def test_a_recorded_case_keeps_whether_there_is_an_answer(tmp_path):
    cases = {"check": [Case("f", {"x": 1}, None), Case("f", {"x": 2})]}
    write_cases(tmp_path / "cases.npz", cases)
    read = read_cases(tmp_path / "cases.npz")["check"]
    assert [case.has_answer for case in read] == [True, False]
    assert read[0].expected is None


def test_the_author_is_told_what_a_fault_of_the_grader_was(course, monkeypatch):
    only = replace(course, exercises=(course.exercise("step6"),))
    checks = AuthorCheck(ROOT, only)
    monkeypatch.setattr(checks._checks, "_functions", {})
    (problem,) = checks.problems_of(Part("solutions"))
    assert "step6.nearest: Traceback" in problem
    assert "no test_nearest" in problem
    answer = Answer(
        path=ROOT / "answer.py",
        sentence="",
        topic="cost_model",
        loses=frozenset({"step6.nearest"}),
        says="",
        alone=False,
        texts={},
    )
    (result,) = checks._checks.grade(LocalStudent({}, only.functions))
    assert result.checks[0].reason is Reason.GRADER
    assert any("meets a fault of the grader: Traceback" in complaint for complaint in answer.complaints((result,)))
