"""Grading as `grader run` does it: hidden inputs, locked-down process, every state."""

import io
import zipfile
from pathlib import Path

import pytest

from grader.classroom.room import Classroom, Settings, grade_all
from grader.files import Submission, read_submission
from grader.isolation.sandbox import detect
from grader.results import State
from grader.student import process

ROOT = Path(__file__).parents[2]


@pytest.fixture
def grade(classroom):
    def grade(files, submission_id="s1"):
        files = {name: data.encode() if isinstance(data, str) else data for name, data in files.items()}
        return classroom.grade(Submission(submission_id, "", files))

    return grade


def states(result):
    return {exercise.exercise.id: exercise.state for exercise in result.exercises}


def test_the_reference_gets_full_marks(grade, solutions, full_marks):
    result = grade(solutions)
    assert result.points == full_marks
    assert result.state is State.PASSED
    assert {state for name, state in states(result).items() if name != "exercise5"} == {State.PASSED}


def test_the_skeleton_is_not_attempted(grade, course):
    folder = ROOT / "student_template"
    result = grade({f"{topic.id}.py": (folder / f"{topic.id}.py").read_bytes() for topic in course.topics})
    assert result.points == 0
    assert set(states(result).values()) <= {State.NOT_ATTEMPTED, State.SKIPPED}


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_scores_do_not_depend_on_the_seed(course, solutions, full_marks, seed):
    room = Classroom(course, Settings(seed=seed, isolation=detect()))
    try:
        assert room.grade(Submission("s1", "", solutions)).points == full_marks
        keeps_all = (ROOT / "tests/wrong_answers/step1/bias_forgotten.py").read_bytes()
        broken = {**solutions, "recompute.py": solutions["recompute.py"] + b"\n\n" + keeps_all}
        lost = sum(
            check.points for check in course.exercise("step1").checks if check.id in ("linear", "layer", "model")
        )
        assert room.grade(Submission("s2", "", broken)).points == full_marks - lost
    finally:
        room.close()


def test_consequential_errors_are_graded_with_the_reference(grade, solutions):
    broken = solutions["recompute.py"] + b"\n\ndef linear_forward(x, w, b):\n    return x @ w\n"
    result = grade({"recompute.py": broken})
    found = states(result)
    assert found["step1"] is State.FAILED
    assert found["step2"] is State.PASSED
    assert found["step3"] is State.PASSED
    note = next(exercise.note for exercise in result.exercises if exercise.exercise.id == "step3")
    assert "step1" in note


def test_a_later_step_is_graded_when_an_earlier_one_was_not_attempted(grade, solutions):
    import ast

    source = solutions["recompute.py"].decode()
    lines = source.splitlines()
    for node in reversed(ast.parse(source).body):
        if isinstance(node, ast.FunctionDef) and node.name in ("linear_forward", "layer_forward", "relu"):
            del lines[node.lineno - 1 : node.end_lineno]
    found = states(grade({"recompute.py": "\n".join(lines)}))
    assert found["step1"] is State.ERROR  # model_forward is there and calls what is missing
    assert found["step2"] is State.PASSED
    assert found["step3"] is State.PASSED


def test_an_error_of_its_own_is_not_forgiven(grade, solutions):
    source = solutions["recompute.py"] + (
        b"\n\ndef linear_forward(x, w, b):\n    return x @ w\n"
        b"\n\ndef model_backward(grad_output, activations, params):\n    return grad_output, []\n"
    )
    found = states(grade({"recompute.py": source}))
    assert found["step2"] is State.FAILED


LOOP = "while True:\n    try:\n        pass\n    except BaseException:\n        pass\n"


@pytest.mark.parametrize(
    ("source", "state"),
    [
        ("def relu(x:\n", State.ERROR),
        (LOOP + "def relu(x): pass", State.FAILED),
        ("import os\nos._exit(0)\ndef relu(x): pass", State.CRASHED),
        ("import sys\nsys.exit(0)\ndef relu(x): pass", State.FAILED),
        ("def relu(x):\n    import os\n    os._exit(0)", State.CRASHED),
        ("def relu(x):\n    " + LOOP.replace("\n", "\n    "), State.TIMEOUT),
        ("def relu(x):\n    raise ValueError('no')", State.ERROR),
        ("def relu(x):\n    return bytearray(10**12)", State.MEMORY),
        ("def relu(x):\n    return [0] * 10**11", State.MEMORY),
        ("def relu(x):\n    return relu(x)", State.ERROR),
        ("class A:\n    __eq__ = lambda *_: True\ndef relu(x):\n    return A()", State.FAILED),
        ("def relu(x):\n    return (v for v in x)", State.FAILED),
        ("def relu(x):\n    return None", State.FAILED),
        ("def relu(x):\n    raise NotImplementedError", State.NOT_ATTEMPTED),
        ("def relu(x):\n    if True:\n        raise NotImplementedError('later')", State.NOT_ATTEMPTED),
        # A library that refuses something is not a stub: one in Python, one compiled.
        ("import numpy as np\ndef relu(x):\n    return np.random.BitGenerator()", State.ERROR),
        ("import email.policy\ndef relu(x):\n    return email.policy.Policy().fold('', '')", State.ERROR),
        ("relu = None", State.NOT_ATTEMPTED),
        ("", State.NOT_ATTEMPTED),
        ("def relu(x):\n    import ctypes\n    ctypes.string_at(0)", State.CRASHED),
    ],
)
def test_each_mishap_has_its_state_and_a_sentence(grade, source, state):
    result = grade({"answers.py": source})
    check = next(check for check in result.exercises[0].checks if check.check.id == "relu")
    assert check.state is state
    assert check.feedback.got
    assert "Traceback" not in check.feedback.got


def test_much_output_does_no_harm_and_is_kept_from_students(grade, solutions):
    source = (
        solutions["recompute.py"] + b"\n\nprint('noise ' * 10**7)\ndef relu(x):\n    print('hidden', x)\n    return x\n"
    )
    result = grade({"recompute.py": source})
    check = next(check for check in result.exercises[0].checks if check.check.id == "relu")
    assert check.state is State.FAILED
    assert "hidden" in check.feedback.printed
    assert len(check.feedback.printed) < 20_000
    assert "hidden" not in check.feedback.got + check.feedback.expected + check.feedback.cause


def test_hidden_inputs_do_not_show_in_what_students_see(grade):
    source = (
        "def relu(x):\n    raise ValueError(str(x.tolist()))\n"
        "def linear_forward(x, w, b):\n    return type(str(x.tolist()), (), {})()\n"
        "def optimal_segment(n_layers):\n    return str(n_layers)\n"
    )
    result = grade({"a.py": source})
    for exercise in result.exercises:
        for check in exercise.checks:
            if check.feedback and exercise.exercise.id in ("step1", "step6"):
                seen = check.feedback.called + check.feedback.got + check.feedback.expected + check.feedback.cause
                assert "[[" not in seen
                assert "n_layers=" not in seen


def test_a_loop_at_the_top_costs_nothing_and_is_told_once(grade, solutions, course):
    result = grade({**solutions, "recompute.py": solutions["recompute.py"] + b"\nwhile True: pass\n"})
    assert result.points == course.points
    notes = [exercise.note for exercise in result.exercises if exercise.note]
    assert len(notes) == 1
    assert "is left out after 2 seconds" in notes[0]


def test_one_file_that_fails_leaves_the_others_alone(grade, solutions, monkeypatch):
    monkeypatch.setattr(process, "LOAD_SECONDS", 1.5)
    result = grade({**solutions, "recompute.py": solutions["recompute.py"] + b"\nsum(range(10**15))\n"})
    found = states(result)
    assert found["step1"] is State.TIMEOUT
    assert found["step4"] is State.PASSED
    assert found["step7"] is State.PASSED


def test_two_different_definitions_make_the_exercise_ungradable(grade, solutions):
    result = grade({**solutions, "old/notes.py": b"def optimal_segment(n_layers):\n    return 4\n"})
    exercise = next(exercise for exercise in result.exercises if exercise.exercise.id == "step6")
    assert exercise.state is State.UNGRADABLE
    assert "old/notes.py" in exercise.checks[0].feedback.got
    assert states(result)["step5"] is State.PASSED


def test_a_broken_submission_does_not_stop_the_others(course, tmp_path, solutions, full_marks):
    (tmp_path / "a_zip_that_is_none.zip").write_bytes(b"no archive")
    (tmp_path / "b_empty.py").write_bytes(b"")
    (tmp_path / "c_folder").mkdir()
    (tmp_path / "d_exits.py").write_bytes(b"import os\nos._exit(3)\nrelu = 1\ndef relu(x): pass\n")
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        for name, data in solutions.items():
            file.writestr(f"work/{name}", data)
    (tmp_path / "e_right.zip").write_bytes(archive.getvalue())
    submissions = [read_submission(path) for path in sorted(tmp_path.iterdir())]
    submissions.append(read_submission(tmp_path / "missing.py"))
    for jobs in (1, 2):
        results = {result.id: result for result in grade_all(submissions, course, Settings(5, detect()), jobs=jobs)}
        assert results["a_zip_that_is_none"].state is State.UNGRADABLE
        assert "a_zip_that_is_none.zip" in results["a_zip_that_is_none"].problem
        assert results["b_empty"].state is State.NOT_ATTEMPTED
        assert results["c_folder"].state is State.UNGRADABLE
        assert results["d_exits"].exercises[0].state is State.CRASHED
        assert results["e_right"].points == full_marks
        assert results["missing"].state is State.UNGRADABLE


def test_a_lost_zygote_is_replaced(course, solutions, full_marks):
    room = Classroom(course, Settings(3, detect()))
    try:
        room._zygotes.having()._process.kill()
        assert room.grade(Submission("s1", "", solutions)).points == full_marks
    finally:
        room.close()
