"""Where a student's prompt is found, and who judges it."""

import json
import sys

import pytest

from grader.classroom.replay import replay
from grader.classroom.room import Classroom, Settings
from grader.desk.checking import Checker
from grader.files import Submission, read_submission
from grader.isolation.sandbox import detect
from grader.results import State
from grader.student.here import LocalStudent
from grader.worker.loading import Loader, Unavailable
from lesson.course import load_course
from lesson.policy_cost import policy_cost
from solutions.policy import POLICY_PROMPT

((NAME, PROMPT_FILE),) = load_course().texts.items()
PROMPT = POLICY_PROMPT.encode()
NOTES = "# Notes\n\ndef plan_policy(config, memory_gb):\n    this is not Python\n"


@pytest.fixture
def loader():
    made = []

    def loader(**files):
        made.append(Loader({name: text.encode() for name, text in files.items()}, ["plan_policy"], {NAME: PROMPT_FILE}))
        return made[-1]

    yield loader
    for each in made:
        each.close()


def test_what_is_not_python_is_not_parsed(loader):
    one = loader(**{"notes.md": NOTES, "policy.py": "def plan_policy(config, memory_gb):\n    return 1\n"})
    assert one.origins() == {"plan_policy": "policy.py"}
    assert one.function("plan_policy")({}, 1) == 1
    assert loader(**{"notes.md": NOTES}).origins() == {}


@pytest.mark.parametrize(
    ("files", "text"),
    [
        ({PROMPT_FILE: "A"}, "A"),
        ({f"work/deep/{PROMPT_FILE}": "A"}, "A"),
        ({PROMPT_FILE: "A", f"outputs/{PROMPT_FILE}": "B"}, "B"),
        ({f"class/outputs/{PROMPT_FILE}": "B", PROMPT_FILE: "A"}, "B"),
        ({f"outputs/{PROMPT_FILE}": " \n", PROMPT_FILE: "A"}, "A"),
        ({PROMPT_FILE: "\ufeffÄ"}, "Ä"),
        ({PROMPT_FILE: ""}, None),
        ({"prompt.md": "A"}, None),
    ],
)
def test_the_file(loader, files, text):
    assert loader(**files).text_file(NAME) == text


@pytest.mark.parametrize(
    ("files", "text"),
    [
        ({"a.py": "POLICY_PROMPT = 'A'"}, "A"),
        ({"a.py": "POLICY_PROMPT: str = 'A'"}, "A"),
        ({"a.py": "words = ['A', 'B']\nPOLICY_PROMPT = ' '.join(words)"}, "A B"),
        ({"a.py": "POLICY_PROMPT = ''\nPOLICY_PROMPT = 'A'"}, "A"),
        ({"a.py": "POLICY_PROMPT = ''", "b.py": "POLICY_PROMPT = 'B'"}, "B"),
        ({"a.py": "POLICY_PROMPT = ' '.join([])", "b.py": "from c import POLICY_PROMPT", "c.py": "x = 1"}, Unavailable),
        ({"a.py": "def f(:\nPOLICY_PROMPT = 'A'", "b.py": "POLICY_PROMPT = 'B'"}, "B"),
        ({"a.py": "POLICY_PROMPT = ''"}, None),
        ({"a.py": "POLICY_PROMPT = 3"}, None),
        ({"a.py": "def f():\n    POLICY_PROMPT = 'A'"}, None),
        ({"a.py": "1 / 0"}, None),
        ({}, None),
    ],
)
def test_the_string(loader, files, text):
    if text is Unavailable:
        with pytest.raises(Unavailable):
            loader(**files).text_string(NAME)
    else:
        assert loader(**files).text_string(NAME) == text


def test_a_prompt_in_a_file_runs_nothing(course):
    files = {PROMPT_FILE: b"A", "policy.py": b"import sys\nsys.ran = True\nPOLICY_PROMPT = 'B'"}
    student = LocalStudent(files, course.functions, texts=course.texts)
    assert student.probe("text_file", text=NAME) == "A"
    assert not hasattr(sys, "ran")
    assert student.probe("text_string", function=NAME) == "B"
    del sys.ran
    student.close()


def check(course, files):
    """Return what `grader check` says about the prompt."""
    checker = Checker(course)
    (result,) = checker.check(Submission("s", "s", files), [course.exercise("prompt")])
    return result


def test_without_reference_the_students_own_planner_judges(course, solutions):
    assert check(course, solutions).state is State.PASSED
    wasteful = solutions["policy.py"] + (
        b"\n\n_right = plan_policy\n\n\ndef plan_policy(config, memory_gb):\n    plan = _right(config, memory_gb)\n"
        b"    return ['full'] * len(plan)\n"
    )
    worse = PROMPT.replace(b'"memory_gb": 40,\n  "policy"', b'"memory_gb": 60,\n  "policy"')
    assert check(course, {**solutions, PROMPT_FILE: worse}).state is State.FAILED
    feedback = check(course, {**solutions, PROMPT_FILE: worse}).checks[-1].feedback
    assert feedback.cause == "Judged by your own plan_policy."
    assert check(course, {**solutions, "policy.py": wasteful, PROMPT_FILE: worse}).state is State.PASSED


@pytest.mark.parametrize("body", ["raise NotImplementedError", "return 'full'", "return ['none'] * config['layers']"])
def test_a_planner_that_gives_no_plan_is_named(course, body):
    policy = f"def plan_policy(config, memory_gb):\n    {body}\n".encode()
    result = check(course, {"policy.py": policy, PROMPT_FILE: PROMPT})
    assert [each.check.id for each in result.checks if each.state is not State.PASSED] == ["policies"]
    assert "plan_policy gives no plan" in result.checks[-1].feedback.got


def test_a_prompt_in_a_file_is_graded_in_the_sandbox(classroom):
    result = classroom.grade(Submission("s", "s", {f"outputs/{PROMPT_FILE}": PROMPT}))
    (found,) = [each for each in result.exercises if each.exercise.id == "prompt"]
    assert found.state is State.PASSED


def test_the_reference_judges_examples_with_very_many_layers(classroom):
    config = {"layers": 512, "hidden": 64, "heads": 1, "seq": 64, "batch": 1}
    rates = {"host_bandwidth": 1e9, "flops_per_second": 1e12}
    example = {"config": {**config, **rates}, "policy": {"full": 512}}
    cost = policy_cost({**config, **rates}, ["full"] * 512)
    example |= {"memory_gb": 2 * cost.peak_gb, "predicted_peak_gb": cost.peak_gb, "overhead": cost.overhead}
    prompt = f"{POLICY_PROMPT}\n```json\n{json.dumps(example)}\n```\n"
    result = classroom.grade(Submission("s", "s", {PROMPT_FILE: prompt.encode()}))
    (found,) = [each for each in result.exercises if each.exercise.id == "prompt"]
    assert [each.check.id for each in found.checks if each.state is not State.PASSED] == ["policies"]
    assert found.checks[-1].feedback.expected.startswith("the best policy, with")


def test_no_prompt_is_not_attempted(course):
    result = check(course, {"policy.py": b"POLICY_PROMPT = ''\n"})
    assert result.state is State.NOT_ATTEMPTED
    assert "no prompt" in result.checks[0].feedback.got


def test_a_huge_prompt_is_refused(course):
    result = check(course, {"policy.py": b"POLICY_PROMPT = 'x' * 3_000_000\n"})
    assert result.state is State.FAILED
    assert "million" in result.checks[0].feedback.got


def test_plan_policy_may_take_longer_than_other_functions(course):
    assert course.call_seconds["plan_policy"] == 10
    room = Classroom(course, Settings(seed=1, isolation=detect(), call_seconds=0.5))
    slow = (
        b"import time\nfrom lesson.policy_cost import policy_cost\n\n\n"
        b"def plan_policy(config, memory_gb):\n    time.sleep(1)\n    return None\n\n\n"
        b"def relu(x):\n    time.sleep(1)\n"
    )
    try:
        result = room.grade(Submission("slow", "slow.py", {"slow.py": slow}))
    finally:
        room.close()
    found = {exercise.exercise.id: exercise for exercise in result.exercises}
    assert found["policy"].state is State.FAILED  # it answered, if wrongly
    assert found["step1"].state is State.TIMEOUT


def test_a_verdict_on_a_prompt_can_be_replayed(course, tmp_path):
    (tmp_path / "policy.py").write_text("POLICY_PROMPT = 'Good luck!'\n", encoding="utf-8")
    again = replay(read_submission(tmp_path), course, 1, course.exercise("prompt"), "inputs")
    assert again.result.state is State.FAILED
    assert "from policy import POLICY_PROMPT" in again.snippet
