"""`check` and `hint` as a student meets them in a cell."""

import importlib
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
from notebook_tools import ROOT, functions_of, numpy_is_enough, prompt

import grader.notebook
from grader.notebook import Checked, Sentence, check, hint
from grader.results import State
from lesson.course import load_course

COURSE = load_course()
# Others need more than numpy, and more time.
EXERCISES = [exercise for exercise in COURSE.exercises if not exercise.requires]


@pytest.fixture(autouse=True)
def fresh_kernel(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)  # where no prompt lies in a file
    monkeypatch.setattr(grader.notebook, "_last", {})
    monkeypatch.setattr(grader.notebook, "_shown", {})


@pytest.fixture(scope="module")
def solved():
    """A namespace in which all solutions were defined, as in a kernel."""
    namespace = {"__name__": "__main__"}
    for topic in COURSE.topics:
        if not numpy_is_enough(topic.id):
            continue
        exec((ROOT / "solutions" / f"{topic.id}.py").read_text(encoding="utf-8"), namespace)
    namespace["POLICY_PROMPT"] = prompt()
    return namespace


def plain(result) -> str:
    return re.sub(r"<[^>]+>", " ", result._repr_html_())


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.id)
def test_every_exercise_passes_with_its_solution(solved, exercise):
    result = check(exercise.id, dict(solved) | {"__name__": "__main__"})
    if exercise.id != "exercise1":  # rebinds a name in the functions' own globals
        assert result.passed, repr(result)
    assert check(exercise.id, solved).points == exercise.points


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.id)
def test_a_check_that_passes_is_fast(solved, exercise):
    def seconds():
        started = time.thread_time()  # whatever else this machine does
        check(exercise.id, solved)
        return time.thread_time() - started

    check(exercise.id, solved)
    assert min(seconds() for _ in range(3)) < 0.1


def test_points_are_a_plain_number_that_shows_the_result(solved):
    points, due = check("step1", solved).points, COURSE.exercise("step1").points
    assert (points, repr(points), str(points)) == (due, str(due), str(due))
    assert points + 1 == due + 1
    assert "passed" in points._repr_html_()


@pytest.mark.parametrize("step", [3, "3", "step3", "Step 3", " STEP3 "])
def test_a_step_may_be_named_in_any_way(solved, step):
    assert check(step, solved).result.exercise.id == "step3"


@pytest.mark.parametrize("step", ["", "step99", "nonsense", None, 3.5])
def test_an_unknown_step_is_answered_with_the_known_ones(step):
    for answer in (check(step, {}), hint(step)):
        assert isinstance(answer, Sentence)
        assert "step1" in repr(answer)
        assert "prompt" in repr(answer)
        assert answer.points == 0


def test_a_new_definition_counts_at_once(solved):
    namespace = {**solved}
    namespace["relu"] = lambda x: x
    assert check("step1", namespace).result.state is State.FAILED
    namespace["relu"] = solved["relu"]
    assert check("step1", namespace).passed


def test_what_is_not_defined_is_told_kindly(solved):
    nothing = check("step1", {})
    assert nothing.points == 0
    assert "linear_forward, relu, layer_forward and model_forward are not defined in this notebook yet" in repr(nothing)
    one = check("step1", {name: value for name, value in solved.items() if name != "relu"})
    assert "relu is not defined in this notebook yet. Run the cell above that defines it" in plain(one)
    assert one.points > 0


def test_stubs_are_told_kindly(solved):
    namespace = {**solved}
    exec("def relu(x):\n    ### BEGIN SOLUTION\n    raise NotImplementedError\n    ### END SOLUTION", namespace)
    assert "Still to be written: relu." in repr(check("step1", namespace))
    exec((ROOT / "student_template" / "policy.py").read_text(encoding="utf-8"), namespace)
    for step, text in (("policy", "Still to be written: plan_policy"), ("prompt", "POLICY_PROMPT in the cell above")):
        assert text in repr(check(step, namespace))
        assert text in plain(check(step, namespace))


def test_a_step_waits_for_the_ones_it_builds_on(solved):
    namespace = {**solved}
    exec(
        functions_of((ROOT / "solutions" / "recompute.py").read_text(encoding="utf-8"))["layer_forward"].replace(
            "relu(", "abs("
        ),
        namespace,
    )
    result = check("step2", namespace)
    assert "Get step1 right first." in repr(result) or result.passed


def test_feedback_says_what_was_called_what_came_back_and_why(solved):
    result = check("step1", {**solved, "relu": lambda x: x})
    kept = sum(each.points for each in COURSE.exercise("step1").checks if each.id != "relu")
    for text in (repr(result), plain(result)):
        assert "relu(x (5, 4))" in text
        assert "Nothing was zeroed" in text
        assert f"This topic so far: {kept}/" in text
    assert '<a href="#step1">' in result._repr_html_()


def test_what_is_the_same_for_several_checks_is_said_once(solved):
    def relu(x):
        raise TypeError("always")

    html = check("step1", {**solved, "relu": relu})._repr_html_()
    assert html.count("It raised TypeError: always") == 1
    assert html.count("as above") >= 1


def test_nothing_of_a_student_becomes_markup(solved):
    evil = "<script>alert(1)</script>\x1b[31m\u202e"

    def relu(x):
        print(evil)
        raise ValueError(evil)

    def linear_forward(x, w, b):
        return type(evil, (), {})()

    namespace = {**solved, "relu": relu, "linear_forward": linear_forward}
    result = check("step1", namespace)
    assert "<script" not in result._repr_html_()
    assert "&lt;script&gt;" in result._repr_html_()
    assert not {"\x1b", "\u202e"} & set(result._repr_html_() + repr(result))


def test_nothing_is_printed_and_nothing_raised(solved, capfd):
    def relu(x):
        print("out")
        print("err", file=sys.stderr)
        raise SystemExit

    check("step1", {**solved, "relu": relu})
    check("step1", {**solved, "relu": 5})
    check("step1", {**solved, "relu": None})
    assert capfd.readouterr() == ("", "")


def test_an_endless_loop_ends(solved, monkeypatch):
    def relu(x):
        while True:
            pass

    monkeypatch.setattr(grader.notebook, "CALL_SECONDS", 0.2)
    assert "No answer within 0.2 seconds" in repr(check("step1", {**solved, "relu": relu}))


def test_progress_is_over_the_topic(solved):
    check("step1", solved)
    result = check("step3", solved)
    earned = COURSE.exercise("step1").points + COURSE.exercise("step3").points
    possible = sum(exercise.points for exercise in COURSE.of_topic("recompute"))
    assert f"This topic so far: {earned}/{possible} points." in repr(result)
    assert "step2 ·" in repr(result)


def test_functions_may_come_from_a_module_of_the_students_own(tmp_path, monkeypatch):
    (tmp_path / "own_answers.py").write_bytes((ROOT / "solutions" / "recompute.py").read_bytes())
    monkeypatch.syspath_prepend(str(tmp_path))
    module = importlib.import_module("own_answers")
    try:
        names = {name: getattr(module, name) for name in COURSE.functions if hasattr(module, name)}
        assert all(check(exercise.id, names).passed for exercise in COURSE.of_topic("recompute"))
    finally:
        del sys.modules["own_answers"]


def test_the_prompt_may_be_in_a_file_beside_the_notebook(solved, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    namespace = {**solved, "POLICY_PROMPT": " "}
    assert check("prompt", namespace).points == 0
    (tmp_path / "outputs").mkdir()
    (tmp_path / "outputs" / "prompt-activation-recompute-policy.md").write_text(prompt(), encoding="utf-8")
    assert check("prompt", namespace).passed


def test_hints_come_one_by_one():
    texts = [repr(hint("step3")) for _ in range(4)]
    hints = COURSE.exercise("step3").hints
    for count, text in enumerate(texts, 1):
        assert [each in text for each in hints] == [index < count for index in range(3)]
    assert texts[2] == texts[3]
    assert texts[3].endswith("That was the last one.")
    assert "2 more" in texts[0]
    assert "<ol" in hint("step3")._repr_html_()


def test_the_names_are_those_of_the_caller_where_there_is_no_kernel():
    answer = "def optimal_segment(n): return max(1, round(n ** 0.5))"
    program = f"from grader.notebook import check\n{answer}\nprint(check(6).points)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=Path(ROOT))
    assert (done.stdout, done.stderr) == (f"{COURSE.exercise('step6').points}\n", "")


def test_a_failure_of_the_grader_is_not_put_down_to_the_student(solved, monkeypatch):
    monkeypatch.setattr("grader.notebook._checks", lambda course: _Broken())
    result = check("step1", solved)
    assert isinstance(result, Checked)
    assert "does not count against you" in repr(result)
    assert result.points == 0


class _Broken:
    def grade(self, student, exercises):
        from grader.results import CheckResult, ExerciseResult, Feedback

        feedback = Feedback(got="The grader itself failed; this does not count against you.")
        return tuple(
            ExerciseResult(each, tuple(CheckResult(check, State.GRADER_ERROR, feedback) for check in each.checks))
            for each in exercises
        )
