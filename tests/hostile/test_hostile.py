"""Submissions that attack the grader get what their honest part earned, and nobody else notices.

The submissions are the files of `submissions/` and what `made_submissions` makes. Each begins with a sentence and

    # topic: selective              what it is handed in as: the solution of this topic, followed by the file
    # outcome: step7 none crashed   checks that pass and states that are right, for each exercise it is graded on
    # alone: yes                    the file alone
    # seconds: 1, # total: 2        other deadlines, for each call and for all of them

An outcome says `full` where every check passes, `none` where none does, and else which are lost, by their ids:

    # outcome: step1 -dtype -inputs failed, step2 none crashed or timeout, step3 full passed

What that is worth, the course says.

`grade_hostile` grades them all, in a process of its own for each setting, and the tests here read its report.
"""

from __future__ import annotations

import ast
import contextlib
import ctypes
import functools
import importlib.util
import json
import os
import platform
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from grade_hostile import FOLDER, SEED, all_outcomes, parse_outcome, prepare_arena, read_header, read_hostile
from made_submissions import lookup_of_recorded_cases, make, steps_of

from grader.cases.recorded import RecordedCases
from grader.classroom.room import Settings, grade_all
from grader.files import Submission, read_submission
from grader.grading import CheckSession
from grader.isolation.sandbox import detect
from grader.results import State
from grader.student.here import LocalStudent
from lesson.course import load_course

ROOT = Path(__file__).parents[2]
SITE_PACKAGES = str(Path(importlib.util.find_spec("numpy").origin).parents[1])
NOBODY = 65534
COURSE = load_course()
OUTCOMES = all_outcomes(COURSE)
# A whole run; far more than it takes, as machines differ.
PATIENCE_SECONDS = 420
# What the grader itself may need for one submission, in 10^6 bytes: files of 2 MB, answers of 8 MiB.
TRUSTED_MB = 150


@dataclass(frozen=True)
class Setting:
    """Who grades, in which isolation."""

    name: str
    level: str
    root: bool

    @property
    def own(self) -> bool:
        """Whether the user who runs the tests can grade in this setting without becoming somebody else."""
        return self.root == (os.geteuid() == 0)


SETTINGS = [
    Setting(f"{user}-{level}", level, user == "root") for user in ("root", "user") for level in ("bwrap", "landlock")
]


class Run:
    """One run of `grade_hostile`, begun at once and waited for when its report is asked for."""

    def __init__(self, setting: Setting, python: str, directory: Path) -> None:
        directory.chmod(0o755)
        project, arena = directory / "project", directory / "arena"
        arena.mkdir()
        for name in ("grader", "lesson", "solutions", "tests/hostile"):
            shutil.copytree(ROOT / name, project / name, ignore=shutil.ignore_patterns("__pycache__"))
        for path in project.rglob("*"):
            path.chmod(0o755 if path.is_dir() else 0o644)
        if not setting.own:
            os.chown(arena, NOBODY, NOBODY)
        places = {"project": str(project), "arena": str(arena), "path": [SITE_PACKAGES]}
        job = {"level": setting.level, "only": [], **places}
        (directory / "job.json").write_text(json.dumps(job))
        self._output, self._log = directory / "report.json", directory / "log.txt"
        command = [python, "-I", "-S", "-B", "-c", START, str(project / "tests" / "hostile" / "grade_hostile.py")]
        with (
            (directory / "job.json").open("rb") as job_file,
            self._output.open("wb") as output,
            self._log.open("wb") as log,
        ):
            self._process = subprocess.Popen(
                command,
                stdin=job_file,
                stdout=output,
                stderr=log,
                cwd="/",
                env={name: value for name, value in os.environ.items() if name.startswith(("PATH", "OPENBLAS_"))},
                start_new_session=True,
                **identity(setting),
            )

    @functools.cached_property
    def report(self) -> dict[str, Any]:
        try:
            status = self._process.wait(timeout=PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            self.stop()
            status = -1
        log = self._log.read_text(errors="replace")
        assert status == 0, f"ended with status {status}; its last words:\n{log[-3000:]}"
        return json.loads(self._output.read_bytes())

    def stop(self) -> None:
        if self._process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()


# -I leaves out the directory of the program, in which its helpers lie.
START = """
import runpy, sys
sys.path.insert(0, sys.argv[1].rpartition("/")[0])
runpy.run_path(sys.argv[1], run_name="__main__")
"""


def identity(setting: Setting) -> dict[str, Any]:
    return {} if setting.own else {"user": NOBODY, "group": NOBODY, "extra_groups": []}


@functools.cache
def python_for(setting: Setting) -> str:
    """Return an interpreter that the setting's user can run and that imports what the grader needs, else skip."""
    same_version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    test = f"import sys; sys.path.append({SITE_PACKAGES!r}); import jinja2, numpy, pytest, rich"
    for python in (os.path.realpath(sys.executable), shutil.which(same_version, path=os.defpath) or ""):
        with contextlib.suppress(OSError):
            command = [python, "-I", "-S", "-c", test]
            trial = subprocess.run(command, cwd="/", capture_output=True, check=False, **identity(setting))
            if trial.returncode == 0:
                return python
    pytest.skip("no interpreter that another user could run with all packages")


def skip_unless_possible(setting: Setting) -> None:
    """Skip, visibly, where the machine cannot do it: asked of the machine, not of the code under test."""
    if sys.platform != "linux" or platform.machine() not in ("x86_64", "aarch64"):
        pytest.skip("only on Linux on x86-64 or aarch64")
    if os.geteuid() != 0 and setting.root:
        pytest.skip("needs root")
    if setting.level == "landlock" and ctypes.CDLL(None).syscall(444, None, ctypes.c_long(0), 1) <= 0:
        pytest.skip("this kernel has no Landlock")
    if setting.level == "bwrap":
        if shutil.which("bwrap") is None:
            pytest.skip("bubblewrap is not installed")
        command = ["bwrap", *([] if setting.root else ["--unshare-user"]), "--unshare-pid", "--unshare-net"]
        command += ["--ro-bind", "/", "/", "true"]
        trial = subprocess.run(command, cwd="/", capture_output=True, text=True, check=False, **identity(setting))
        if trial.returncode != 0:
            pytest.skip(f"bubblewrap does not work here: {trial.stderr.strip()}")


@pytest.fixture(scope="session")
def report_of() -> Iterator[Any]:
    """Return the function that yields a setting's report; the settings of one user run side by side."""
    runs: dict[Setting, Run] = {}
    with contextlib.ExitStack() as stack:

        def get(setting: Setting) -> dict[str, Any]:
            skip_unless_possible(setting)
            for one in SETTINGS:
                if one.root == setting.root and one not in runs:
                    with contextlib.suppress(pytest.skip.Exception):
                        skip_unless_possible(one)
                        directory = stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True))
                        runs[one] = Run(one, python_for(one), Path(directory))
                        stack.callback(runs[one].stop)
            if setting not in runs:
                pytest.skip("no interpreter that another user could run with all packages")
            return runs[setting].report

        yield get


def marked(setting: Setting) -> Any:
    quick = setting.own and setting.level == "bwrap"
    return pytest.param(setting, id=setting.name, marks=() if quick else (pytest.mark.slow,))


in_every_setting = pytest.mark.parametrize("setting", [marked(setting) for setting in SETTINGS])


# --- the report of each setting --------------------------------------------------------------------


@in_every_setting
def test_the_isolation_is_the_one_asked_for(report_of, setting):
    report = report_of(setting)
    assert report["level"] == setting.level, report["detail"]
    assert "seccomp" in report["layers"]
    assert (report["uid"] == 0) == setting.root


@in_every_setting
@pytest.mark.parametrize("name", OUTCOMES, ids=ascii)
def test_only_the_honest_part_counts(report_of, setting, name):
    found = report_of(setting)["submissions"][name]
    assert "fell" not in found, found["fell"]
    wrong = {}
    for exercise, due in OUTCOMES[name].items():
        result = found["exercises"][exercise]
        if result["points"] != due.points or set(result["lost"]) != due.lost or result["state"] not in due.states:
            wrong[exercise] = f"{result} instead of {due.points} points, {due.lost} lost, {' or '.join(due.states)}"
    assert not wrong, found["checks"]
    assert not found["leaks"], "the student is told what must stay hidden"
    assert found["control"] == COURSE.exercise("step7").points, "the next submission has suffered"
    assert found["processes"] == 0, "a process is left"
    assert found["zygote"], "the zygote is gone"
    assert found["trusted_mb"] <= TRUSTED_MB, "the grader's own memory has grown"


@in_every_setting
def test_nothing_is_left(report_of, setting):
    report = report_of(setting)
    assert report["submissions"].keys() == OUTCOMES.keys()
    assert report["processes_left"] == 0
    assert report["changed"] == []
    assert report["left_behind"] == []
    assert report["connections"] == 0


@in_every_setting
def test_the_reference_gets_full_points_after_all_of_them(report_of, setting, full_marks):
    assert report_of(setting)["reference"] == full_marks


@in_every_setting
def test_every_form_of_report_can_be_written_and_tells_nothing(report_of, setting):
    assert report_of(setting)["reports"] == []


# --- the submissions themselves --------------------------------------------------------------------


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.py")), ids=lambda path: path.stem)
def test_each_submission_says_what_it_does_and_is_due(path, course):
    sentence = ast.get_docstring(ast.parse(path.read_bytes()))
    assert sentence
    assert sentence.endswith(".")
    header = read_header(path)
    outcome = parse_outcome(header["outcome"], course)
    assert outcome.keys() <= {exercise.id for exercise in course.of_topic(header["topic"])}
    for due in outcome.values():
        assert set(due.states) < {state.value for state in State} - {"grader error"}
        assert (due.states == ("passed",)) == (not due.lost)


@pytest.mark.parametrize(
    ("outcome", "lost", "states"),
    [
        ("step6 full passed", set(), ("passed",)),
        ("step6 none not attempted or error", {"nearest", "small"}, ("not attempted", "error")),
        ("step6 -small failed", {"small"}, ("failed",)),
    ],
)
def test_an_outcome_is_worth_what_the_course_says(course, outcome, lost, states):
    step6 = course.exercise("step6")
    worth = {"nearest": 20, "small": 30}
    checks = tuple(replace(check, points=worth[check.id]) for check in step6.checks)
    moved = replace(course, exercises=(replace(step6, checks=checks),))
    due = parse_outcome(outcome, moved)["step6"]
    assert (due.lost, due.states) == (lost, states)
    assert due.points == sum(points for check, points in worth.items() if check not in lost)


@pytest.mark.parametrize(
    "outcome", ["step6 4 passed", "step6 passed", "step6 -large failed", "step6 -nearest -small failed"]
)
def test_an_outcome_without_the_checks_that_are_lost_is_refused(course, outcome):
    with pytest.raises(ValueError, match="say full, none, or -ID"):
        parse_outcome(outcome, course)


def test_there_are_many():
    assert len(OUTCOMES) >= 120


@pytest.mark.parametrize("topic", ["recompute", "cost_model", "selective"])
def test_the_lookup_knows_the_answers_to_the_recorded_cases(course, topic):
    """Else its failure on hidden inputs would show nothing."""
    checks = CheckSession(course, RecordedCases())
    student = LocalStudent({f"{topic}.py": lookup_of_recorded_cases(topic)}, course.functions, texts=course.texts)
    try:
        for result in checks.grade(student, steps_of(topic)):
            assert all(check.state is State.PASSED for check in result.checks if not check.check.measured), result
    finally:
        student.close()


@pytest.mark.slow
def test_a_class_of_them_gets_the_same_verdicts(course, solutions, full_marks, tmp_path):
    """As `grader run --jobs 2` does it, each beside others, with an honest one at the end."""
    isolation = detect()
    if isolation.level == "none":
        pytest.skip(isolation.detail)
    arena = tmp_path / "arena"
    prepare_arena(arena, ROOT)
    places = {"arena": str(arena), "project": str(ROOT), "port": "9"}
    submissions = []
    for path in sorted(FOLDER.glob("*.py")):
        hostile = read_hostile(path, ROOT, course, places)
        # One of those that never end is enough: each would take the whole deadline here.
        if hostile.seconds >= 5 or hostile.name == "ignores_signals":
            submissions.append(Submission(hostile.name, "", hostile.files))
    submissions += [read_submission(path, name) for name, path in make(ROOT, arena)]
    submissions.append(Submission("honest", "", solutions))
    settings = Settings(SEED, isolation, call_seconds=10.0)
    wrong = {}
    for result in grade_all(submissions, course, settings, jobs=2):
        exercises = {exercise.exercise.id: exercise for exercise in result.exercises}
        for exercise, due in OUTCOMES.get(result.id, {}).items():
            if exercises[exercise].points != due.points or exercises[exercise].state not in due.states:
                wrong[result.id, exercise] = f"{exercises[exercise].points} {exercises[exercise].state}"
        if result.id == "honest":
            assert result.points == full_marks
    assert not wrong


@pytest.mark.parametrize(
    "name",
    [
        "opens_connections",
        "reads_descriptors",
        "reads_other_submissions",
        "reads_proc",
        "reads_the_environment",
        "reads_the_solutions",
    ],
)
def test_an_attack_succeeds_where_nothing_stops_it(name, course, tmp_path):
    """Else its failure in the sandbox would show nothing. Only such as do no harm."""
    if sys.platform != "linux":
        pytest.skip("only on Linux")
    import socket

    prepare_arena(tmp_path / "arena", ROOT)
    with socket.create_server(("127.0.0.1", 0)) as server:
        places = {"arena": str(tmp_path / "arena"), "project": str(ROOT), "port": str(server.getsockname()[1])}
        (source,) = read_hostile(FOLDER / f"{name}.py", ROOT, course, places).files.values()
    path = tmp_path / "attack.py"
    path.write_text(f"{source.decode()}\n\nprint('answers', should_recompute('attention', 2e8, 0.1))\n")
    done = subprocess.run(
        [sys.executable, str(path)],
        env={**os.environ, "PYTHONPATH": str(ROOT), "GRADER_SECRET": "CANARY"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert "answers True" in done.stdout or "RuntimeError: " in done.stderr, done
