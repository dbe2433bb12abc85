"""The grader is graded on the exercise in PyTorch: in this process, and sealed away."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import nbformat
import pytest

pytest.importorskip("torch")

from notebook_tools import filled_in

from grader.author.answers import Answer, read_answers
from grader.author.check import AuthorCheck
from grader.classroom.replay import replay
from grader.classroom.room import Classroom, Settings
from grader.desk.checking import Checker
from grader.files import Submission, read_submission
from grader.isolation.sandbox import detect
from grader.results import State
from lesson.course import load_course

ROOT = Path(__file__).parents[2]
COURSE = load_course()
ANSWERS = [
    answer
    for folder in ("wrong_answers", "right_answers")
    for answer in read_answers(ROOT / "tests" / folder, COURSE)
    if any(exercise.requires == "torch" for exercise in COURSE.of_topic(answer.topic))
]
SOLUTION = (ROOT / "solutions" / "torch_benchmark.py").read_bytes()
STUB = (ROOT / "student_template" / "torch_benchmark.py").read_bytes()
LEVELS = ("bwrap", "landlock", "none")


@pytest.fixture(scope="module")
def checks():
    return AuthorCheck(ROOT, COURSE)


@pytest.fixture(scope="module")
def room():
    classroom = Classroom(COURSE, Settings(seed=3, isolation=detect()))
    yield classroom
    classroom.close()


@pytest.fixture(scope="module", params=LEVELS)
def each_room(request):
    isolation = detect(request.param)
    if isolation.level != request.param:
        pytest.skip(f"{request.param} does not work here")
    classroom = Classroom(COURSE, Settings(seed=3, isolation=isolation))
    yield classroom
    classroom.close()


def graded(room, **files):
    result = room.grade(Submission("somebody", "somebody", {f"{name}.py": code for name, code in files.items()}))
    return next(exercise for exercise in result.exercises if exercise.exercise.id == "exercise5"), result


def test_there_are_enough_answers():
    assert sum(bool(answer.loses) for answer in ANSWERS) >= 15
    assert sum(not answer.loses for answer in ANSWERS) >= 8


@pytest.mark.parametrize("answer", ANSWERS, ids=lambda answer: answer.name)
def test_an_answer_loses_exactly_what_it_should(checks: AuthorCheck, answer: Answer):
    assert answer.complaints(checks.grade(answer)) == []


@pytest.mark.parametrize(
    "name", ["function_of_its_own", "hooks_of_its_own", "selective_as_a_policy", "segment_size_ignored"]
)
def test_a_sealed_process_gives_the_same_verdict(room, name):
    answer = next(each for each in ANSWERS if each.name == f"exercise5/{name}")
    files = answer.files(ROOT)
    result = room.grade(Submission(name, name, files))
    assert answer.complaints(tuple(each for each in result.exercises if each.exercise.topic == answer.topic)) == []


def test_the_solution_gets_its_bonus_on_top(each_room, solutions):
    result = each_room.grade(Submission("all", "all", {**solutions, "torch_benchmark.py": SOLUTION}))
    full = COURSE.points + COURSE.exercise("exercise5").points
    assert (result.points, result.max_points, result.state) == (full, COURSE.points, State.PASSED)


def test_the_stub_starts_no_process_with_pytorch(room):
    room._zygotes.close()
    exercise, result = graded(room, torch_benchmark=STUB)
    assert exercise.state is State.NOT_ATTEMPTED
    assert result.points == 0
    assert set(room._zygotes._started) == {""}


def test_a_file_that_answers_other_exercises_may_import_pytorch(room):
    recompute = (ROOT / "solutions" / "recompute.py").read_bytes()
    _exercise, result = graded(room, everything=b"import torch\n" + recompute)
    assert next(each for each in result.exercises if each.exercise.id == "step3").state is State.PASSED


HOSTILE = """
import os
import torch


def run_blocks(blocks, x, mode, segment_size=1):
    tries = {
        "read": lambda: open("/etc/passwd").read(),
        "load": lambda: torch.load("/etc/passwd"),
        "map": lambda: torch.from_file("/etc/passwd", size=4, dtype=torch.uint8),
        "save": lambda: torch.save(torch.zeros(3), "/tmp/owned"),
        "list": lambda: os.listdir("/"),
        "fork": os.fork,
        "spawn": lambda: torch.multiprocessing.spawn(print, nprocs=1),
        "download": lambda: torch.hub.download_url_to_file("http://127.0.0.1:9/", "/tmp/owned"),
        "memory": lambda: torch.ones(10**10),
    }
    done = []
    for name, attempt in tries.items():
        try:
            attempt()
        except Exception:
            continue
        done.append(name)
    raise RuntimeError("done: " + " ".join(done))
"""


def test_pytorch_opens_no_way_out(each_room):
    if each_room._settings.isolation.level == "none":
        pytest.skip("nothing is promised without isolation")
    exercise, _result = graded(each_room, hostile=HOSTILE.encode())
    assert exercise.state is State.ERROR
    told = exercise.checks[0].feedback.hidden
    # The empty root directory of bubblewrap may be listed.
    assert told.removesuffix(" list").endswith("done:") or told.endswith("done: "), told


def test_an_endless_loop_ends(each_room):
    code = b"def run_blocks(blocks, x, mode, segment_size=1):\n    while True:\n        pass\n"
    impatient = replace(COURSE, exercises=tuple(replace(exercise, call_seconds=1) for exercise in COURSE.exercises))
    classroom = Classroom(impatient, Settings(3, each_room._settings.isolation, call_seconds=1.0))
    try:
        exercise, _result = graded(classroom, endless=code)
    finally:
        classroom.close()
    assert exercise.state is State.TIMEOUT


def test_a_student_is_checked_the_same_way_at_home(tmp_path):
    (tmp_path / "torch_benchmark.py").write_bytes(SOLUTION)
    checker = Checker(COURSE)
    (result,) = checker.check(checker.read(tmp_path), [COURSE.exercise("exercise5")])
    assert (result.state, result.points) == (State.PASSED, result.exercise.points)


def test_the_plain_loop_is_measured_once_for_all_students(room, monkeypatch):
    from grader.student.sealed import Bystander

    asked = []
    original = Bystander.answer

    def counted(self, name, values, package):
        before = len(self._known)
        answer = original(self, name, values, package)
        asked.append(len(self._known) - before)
        return answer

    room._students._bystander = Bystander(room._zygotes)
    monkeypatch.setattr(Bystander, "answer", counted)
    for _number in range(2):
        graded(room, torch_benchmark=SOLUTION)
    half = len(asked) // 2
    assert any(asked[:half])
    assert not any(asked[half:])


def test_who_is_graded_first_is_graded_like_the_others(room, monkeypatch):
    from grader.isolation.zygote import Zygote
    from grader.student.sealed import Bystander

    room._students._bystander = Bystander(room._zygotes)
    room._zygotes.having("torch")
    started = []
    original = Zygote.start
    monkeypatch.setattr(Zygote, "start", lambda zygote: started.append(zygote) or original(zygote))
    counts = []
    for _number in range(2):
        before = len(started), len(room._students._bystander._known)
        graded(room, torch_benchmark=SOLUTION)
        counts.append(len(started) - before[0] - (len(room._students._bystander._known) - before[1]))
    assert counts[0] == counts[1]  # children of the student's own


def test_a_bystander_that_is_killed_costs_nobody_anything(room, monkeypatch):
    from grader.student.sealed import Bystander

    room._students._bystander = Bystander(room._zygotes)
    original = Bystander.answer
    killed = []

    def kills(self, name, values, package):
        if not killed and len(self._known) == 5:
            killed.append(room._zygotes.having(package))
            killed[0]._process.kill()
            killed[0]._process.wait()
        return original(self, name, values, package)

    monkeypatch.setattr(Bystander, "answer", kills)
    exercise, _result = graded(room, torch_benchmark=SOLUTION)
    assert killed
    assert exercise.state is State.PASSED


def test_a_text_about_pytorch_starts_no_process_with_it(room):
    room._zygotes.close()
    notebook = filled_in("recompute", COURSE)
    assert "torch" in str(notebook)
    result = room.grade(Submission("n", "n", {"recompute.ipynb": nbformat.writes(notebook).encode()}))
    assert next(each for each in result.exercises if each.exercise.id == "step3").state is State.PASSED
    assert set(room._zygotes._started) == {""}


def test_a_notebook_is_graded_as_a_file_is(room):
    notebook = nbformat.writes(filled_in("torch_benchmark", COURSE)).encode()
    result = room.grade(Submission("n", "n", {"torch_benchmark.ipynb": notebook}))
    exercise = next(each for each in result.exercises if each.exercise.id == "exercise5")
    assert (exercise.state, exercise.points) == (State.PASSED, exercise.exercise.points)


def test_a_run_without_the_package_skips_the_exercise_everywhere(room):
    classroom = Classroom(COURSE, Settings(3, room._settings.isolation, packages=frozenset()))
    try:
        exercise, _result = graded(classroom, torch_benchmark=SOLUTION)
    finally:
        classroom.close()
    assert exercise.state is State.SKIPPED


@pytest.mark.parametrize("check", ["frozen", "offload"])
def test_a_verdict_can_be_replayed_and_its_call_runs_on_its_own(tmp_path, check):
    (tmp_path / "torch_benchmark.py").write_bytes(SOLUTION)
    again = replay(read_submission(tmp_path), COURSE, 3, COURSE.exercise("exercise5"), check)
    assert again.result.state is State.PASSED
    (tmp_path / "again.py").write_text(again.snippet)
    done = subprocess.run(
        [sys.executable, "again.py"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("got")
