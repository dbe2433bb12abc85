"""An expected answer may be None, and whatever the grader itself gets wrong is said in full to authors."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from grader.author.answers import Answer
from grader.author.check import AuthorCheck
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
    assert {check.state for check in result.checks} == {state}


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
    checks = AuthorCheck(ROOT, course)
    without = {**checks._checks._functions, "step6": {}}
    monkeypatch.setattr(checks._checks, "_functions", without)
    monkeypatch.setattr(checks, "_answers", lambda _folder: iter(()))
    faults = [problem for problem in checks.problems() if "step6" in problem]
    assert any("LookupError: test_step6.py has no test_nearest" in problem for problem in faults)
    path = ROOT / "tests" / "wrong_answers" / "step6" / "floor.py"
    answer = Answer(path, "", "cost_model", frozenset({"step6.nearest"}), "", alone=False)
    (result,) = checks._checks.grade(LocalStudent({}, course.functions), [course.exercise("step6")])
    assert {check.reason for check in result.checks} == {Reason.GRADER}
    assert any("meets a fault of the grader: Traceback" in complaint for complaint in answer.complaints((result,)))
