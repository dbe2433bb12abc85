"""Grade hostile submissions as `grader run` would, in a process of its own, and report what they achieved.

The program reads a job as JSON from standard input and writes a report as JSON to standard output:

    python grade_hostile.py < job.json

A process of its own keeps the test session safe if something goes wrong, can run as another user, and can count
everything that is left behind: orphans of its children become its own children.
"""

from __future__ import annotations

import contextlib
import csv
import ctypes
import gc
import io
import itertools
import json
import os
import re
import resource
import socket
import sys
import time
import traceback
import unicodedata
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from made_submissions import MARK, OUTCOMES, make

if TYPE_CHECKING:  # the path to it comes with the job
    from lesson.course import Course, Exercise

FOLDER = Path(__file__).with_name("submissions")
# What a student must never see: files of the arena, the environment and a hidden input hold one each.
SECRETS = {
    "solutions": "CANARY-solutions-5021",
    "others": "CANARY-others-6133",
    "environment": "CANARY-environment-7247",
    "inputs": "CANARY-inputs-8369",
}
SEED = 4711
_HEADER = re.compile(r"^# (topic|outcome|seconds|total|alone): *(.*)$", re.MULTILINE)


# --- submissions -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Hostile:
    """A hostile submission.

    Attributes
    ----------
    exercises
        Ids of those that it is graded on.
    files
        What is handed in; empty for what lies at `path`.
    seconds, total
        Deadline of each call and of all calls together.
    """

    name: str
    exercises: tuple[str, ...]
    files: dict[str, bytes]
    path: Path | None = None
    seconds: float = 10.0
    total: float = 60.0


def read_header(path: Path) -> dict[str, str]:
    """Return what the comments at the top of a submission say."""
    return dict(_HEADER.findall(path.read_text(encoding="utf-8")))


@dataclass(frozen=True)
class Due:
    """What a submission must end with in one exercise.

    Attributes
    ----------
    lost
        Ids of the checks that must not pass; all others must.
    states
        Those that are right for the exercise.
    """

    exercise: Exercise
    lost: frozenset[str]
    states: tuple[str, ...]

    @property
    def points(self) -> int:
        """The points of all checks that are not lost."""
        return sum(check.points for check in self.exercise.checks if check.id not in self.lost)


def parse_outcome(text: str, course: Course) -> dict[str, Due]:
    """Read what is due in each exercise.

    Parameters
    ----------
    text
        Such as "step1 -dtype -inputs failed, step2 none crashed or timeout, step4 full passed".

    Raises
    ------
    ValueError
        When it says anything but `full`, `none` or checks of the exercise between exercise and states.
    KeyError
        When the course has no such exercise.
    """
    outcome = {}
    for part in text.split(","):
        exercise_id, *words = part.split()
        exercise = course.exercise(exercise_id)
        checks = {check.id for check in exercise.checks}
        said = list(itertools.takewhile(lambda word: word in ("full", "none") or word.startswith("-"), words))
        match said:
            case ["full"]:
                lost = set()
            case ["none"]:
                lost = checks
            case _:
                lost = {word.removeprefix("-") for word in said}
                if not lost or not lost < checks:
                    raise ValueError(f"{part.strip()!r}: say full, none, or -ID for each check that is lost")
        states = " ".join(words[len(said) :]).split(" or ")
        outcome[exercise_id] = Due(exercise, frozenset(lost), tuple(states))
    return outcome


def all_outcomes(course: Course) -> dict[str, dict[str, Due]]:
    """Return what every submission must end with, by its name; it is graded on these exercises only."""
    texts = {path.stem: read_header(path)["outcome"] for path in sorted(FOLDER.glob("*.py"))}
    return {name: parse_outcome(text, course) for name, text in {**texts, **OUTCOMES}.items()}


def read_hostile(path: Path, project: Path, course: Course, places: dict[str, str]) -> Hostile:
    """Read a file of `submissions/`; appended to the solution of its topic unless it stands alone.

    Parameters
    ----------
    places
        What stands for the marks `@arena@`, `@project@` and `@port@` in it.
    """
    source, header = path.read_text(encoding="utf-8"), read_header(path)
    for name, value in places.items():
        source = source.replace(f"@{name}@", value)
    if header.get("alone") != "yes":
        source = f"{(project / 'solutions' / header['topic']).with_suffix('.py').read_text('utf-8')}\n\n{source}"
    files = {f"{header['topic']}.py": source.encode()}
    limits = float(header.get("seconds", 10)), float(header.get("total", 60))
    return Hostile(path.stem, tuple(parse_outcome(header["outcome"], course)), files, None, *limits)


# --- hidden inputs with a secret in them -----------------------------------------------------------


def secret_cases(course: Any) -> Any:
    """Return fresh cases; one layer of step 7 has a secret for its name."""
    from grader.cases.case import Case
    from grader.cases.fresh import FreshCases

    inputs = {"layer_type": SECRETS["inputs"], "activation_bytes": 3.1e9, "recompute_flops_ratio": 0.01}
    # The same object each time, as answers are remembered by the case.
    secret = Case("should_recompute", inputs, False)

    class SecretCases(FreshCases):
        def of(self, exercise_id: str) -> Any:
            groups = dict(super().of(exercise_id))
            if exercise_id == "step7":
                groups["others"] = [secret, *groups["others"]]
            return groups

    return SecretCases(course, SEED)


def numbers_in(value: Any) -> Iterator[str]:
    """Yield how the floating numbers in a nest begin when they are written out."""
    import numpy as np

    if isinstance(value, np.ndarray):
        value = value.ravel().tolist()
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list | tuple):
        for item in value:
            yield from numbers_in(item)
    elif isinstance(value, float) and len(repr(value)) > 10:
        yield repr(abs(value))[:10]


# --- what the machine looks like -------------------------------------------------------------------


def descendants() -> set[int]:
    """Return the processes that come from this one, with the orphans, which have come back to it."""
    parents = {}
    for entry in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            fields = Path("/proc", entry, "stat").read_text().rpartition(")")[2].split()
            if fields[0] != "Z":
                parents[int(entry)] = int(fields[1])
    found = {os.getpid()}
    while more := {pid for pid, parent in parents.items() if parent in found} - found:
        found |= more
    return found - {os.getpid()}


def more_descendants_than(expected: int) -> int:
    """Return how many descendants there are beyond those expected, after up to a second of waiting."""
    for _ in range(50):
        excess = len(descendants()) - expected
        if excess <= 0:
            return 0
        time.sleep(0.02)
    return excess


def snapshot(arena: Path) -> dict[str, str]:
    """Return the files of the arena with their content."""
    files = (path for path in arena.rglob("*") if "handed-in" not in path.parts and path.is_file())
    return {str(path.relative_to(arena)): path.read_bytes().decode("latin-1") for path in files}


def left_behind(*more_places: Path) -> list[str]:
    """Return what submissions have managed to leave in the usual places and some more."""
    found = []
    for place in (Path("/tmp"), Path("/var/tmp"), Path("/dev/shm"), Path("/run"), Path("/"), Path.home(), *more_places):
        with contextlib.suppress(OSError):
            found += [entry.path for entry in os.scandir(place) if MARK in entry.name]
    return found


def peak_megabytes() -> float:
    """Return the most memory that this process has had since `reset_peak`."""
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM:"))
    return int(line.split()[1]) * 1024 / 1e6


def reset_peak() -> None:
    """Forget the peak so far."""
    gc.collect()
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


# --- grading ---------------------------------------------------------------------------------------


class Judge:
    """The trusted side of a run, put together as in `grader.classroom.room`."""

    def __init__(self, level: str, project: Path) -> None:
        from grader.cases.fresh import reference_functions
        from grader.grading import CheckSession
        from grader.isolation.sandbox import detect
        from grader.isolation.zygote import Zygotes
        from lesson.course import load_course

        self.isolation = detect(level)
        self.course = load_course()
        self._project = project
        self._reference = reference_functions(self.course)
        cases = secret_cases(self.course)
        groups = [group for exercise in self.course.exercises for group in cases.of(exercise.id).values()]
        hidden = [[dict(case.inputs), case.expected] for group in groups for case in group]
        self._numbers = set(numbers_in(hidden))
        self._checks = CheckSession(self.course, cases)
        self._zygotes = Zygotes(self.isolation, self.course.importable)
        self._zygote = self._zygotes.having()
        self.worker_folder = self._zygote._folder
        # It also says a word where somebody before it may have jammed something.
        word = "import os, sys\nprint('hello', file=sys.__stderr__, flush=True)\nos.write(1, b'a')\nos.write(2, b'b')\n"
        right = (project / "solutions" / "selective.py").read_text(encoding="utf-8")
        self._control = Hostile("control", ("step7",), {"selective.py": f"{right}\n\n{word}".encode()}, seconds=5)
        self.grade(self._control)
        self._processes = len(descendants())
        self._zygote_pid = self._zygote._process.pid

    def close(self) -> None:
        self._zygotes.close()

    def grade(self, hostile: Hostile) -> Any:
        from grader.classroom.room import ungradable
        from grader.files import Submission, read_submission
        from grader.results import SubmissionResult
        from grader.student.sealed import SealedStudents

        if hostile.path is None:
            submission = Submission(hostile.name, "", hostile.files)
        else:
            submission = read_submission(hostile.path)
        if submission.problem:
            return ungradable(self.course, submission)
        students = SealedStudents(
            self.course, self._zygotes, self._reference, packages=(), call_seconds=hostile.seconds
        )
        student = students.student(submission.files, total_seconds=hostile.total)
        try:
            graded = self._checks.grade(student, [self.course.exercise(exercise) for exercise in hostile.exercises])
        finally:
            student.close()
        return SubmissionResult(id=submission.id, path="", exercises=graded, notes=submission.notes)

    def report(self, hostile: Hostile) -> tuple[dict[str, Any], Any]:
        """Grade one submission, then the control, and look at what has changed."""
        reset_peak()
        before = peak_megabytes()
        started = time.perf_counter()
        result = self.grade(hostile)
        seconds = time.perf_counter() - started
        grown = peak_megabytes() - before
        control = self.grade(self._control)
        checks = [(exercise, check) for exercise in result.exercises for check in exercise.checks]
        return {
            "exercises": {
                exercise.exercise.id: {
                    "points": exercise.points,
                    "lost": [check.check.id for check in exercise.checks if check.state.value != "passed"],
                    "state": exercise.state.value,
                }
                for exercise in result.exercises
            },
            "checks": [
                f"{exercise.exercise.id}.{check.check.id} {check.state.value}: "
                + (f"{check.feedback.got} | {check.feedback.hidden[-500:]}" if check.feedback else "")
                for exercise, check in checks
                if check.state.value != "passed"
            ],
            "problem": result.problem,
            "leaks": self.leaks_in(visible_text(result)),
            "control": control.exercises[0].points,
            "processes": more_descendants_than(self._processes),
            "trusted_mb": round(grown),
            "seconds": round(seconds, 2),
            "zygote": self._zygote._process.pid == self._zygote_pid and self._zygote._process.poll() is None,
        }, result

    def points_of_the_reference(self) -> int:
        """Return what the whole reference gets."""
        names = [f"{topic.id}.py" for topic in self.course.topics]
        files = {name: (self._project / "solutions" / name).read_bytes() for name in names}
        exercises = tuple(exercise.id for exercise in self.course.exercises)
        return self.grade(Hostile("reference", exercises, files)).points

    def leaks_in(self, text: str) -> list[str]:
        """Return the secrets and the numbers of hidden inputs and answers in a text."""
        found = [place for place, secret in SECRETS.items() if secret in text]
        numbers = re.findall(r"\d+\.\d{4,}", text)
        return found + sorted({number for number in numbers if number[:10] in self._numbers})


def visible_text(result: Any) -> str:
    """Return all that the student may read."""
    parts = [result.problem, *result.notes]
    for exercise in result.exercises:
        parts.append(exercise.note)
        for check in exercise.checks:
            if check.feedback:
                feedback = check.feedback
                parts += [feedback.called, feedback.got, feedback.expected, feedback.cause, feedback.read]
    return "\n".join(parts)


# --- what is written about all of them -------------------------------------------------------------


def complaints_about_reports(judge: Judge, results: list[Any], folder: Path) -> list[str]:
    """Write the results in every form and return what is wrong with what was written."""
    from rich.console import Console

    from grader.formats import classroom50, gradebook, gradescope, html, junit, results_json, terminal
    from grader.results import RunResults

    run = RunResults(SEED, judge.isolation.level, judge.course.title, tuple(results))
    folder.mkdir()
    (folder / "instructor").mkdir()
    results_json.write(run, folder / "instructor" / "results.json")
    html.write_report(run, folder / "html")
    (folder / "html" / "index.html").rename(folder / "instructor" / "index.html")
    junit.write(run, folder / "junit.xml")
    gradebook.write_plain(run, folder / "plain.csv")
    gradebook.write_canvas(run, folder / "canvas.csv")
    gradebook.write_moodle(run, folder / "moodle.csv")
    for number, result in enumerate(results):
        gradescope.write(result, folder / f"gradescope-{number}.json")
        classroom50.write(result, folder / f"classroom50-{number}.json")
        screen = io.StringIO()
        terminal.print_submission(Console(file=screen, width=100, color_system=None), result, instructor=True)
        (folder / "instructor" / f"screen-{number}.txt").write_text(screen.getvalue(), encoding="utf-8")
    screen = io.StringIO()
    terminal.print_run(Console(file=screen, width=100, color_system=None), run)
    (folder / "instructor" / "screen.txt").write_text(screen.getvalue(), encoding="utf-8")
    complaints = []
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            for_students = "instructor" not in path.parts
            complaints += [f"{path.name} {problem}" for problem in _problems(judge, path, for_students)]
    return complaints


def _problems(judge: Judge, path: Path, for_students: bool) -> Iterator[str]:
    text = path.read_text(encoding="utf-8-sig")
    if path.suffix == ".json":
        text = json.dumps(json.loads(text, parse_constant=_refuse_constant), ensure_ascii=False)
        text = text.replace("\\n", "\n")
    if path.suffix == ".xml":
        ElementTree.fromstring(text)
    if path.suffix == ".csv":
        for row in csv.reader(io.StringIO(text)):
            for cell in row:
                if re.match(r"\s*[=+\-@]", cell) and not re.fullmatch(r"-?\d+(\.\d+)?", cell):
                    yield f"holds a formula: {cell[:50]!r}"
    if path.suffix == ".html":
        yield from (f"holds {tag}" for tag in ("<script", "<img", "onerror=alert(1)>") if tag in text.lower())
    steering = {c for c in text if c not in "\n\t" and unicodedata.category(c)[0] == "C"}
    if steering and path.suffix != ".json":  # JSON escapes them
        yield f"holds {sorted(steering)!r}"
    if for_students and judge.leaks_in(text):
        yield f"tells {judge.leaks_in(text)}"


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


# --- the whole run ---------------------------------------------------------------------------------


def prepare_arena(arena: Path, project: Path) -> None:
    """Put in place what submissions try to read and to change; only the sandbox keeps them from it."""
    for name, place in (("solutions", arena / "solutions"), ("others", arena / "others" / "somebody")):
        place.mkdir(parents=True)
        for topic in ("recompute", "cost_model", "selective"):
            text = (project / "solutions" / f"{topic}.py").read_text(encoding="utf-8")
            (place / f"{topic}.py").write_text(f"# {SECRETS[name]}\n{text}", encoding="utf-8")
    for name in ("open", "handed-in"):
        (arena / name).mkdir()
    (arena / "results.json").write_text('{"points": 0}')
    for path in arena.rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644)
    (arena / "open").chmod(0o777)
    (arena / "results.json").chmod(0o666)


def protect_the_machine() -> None:
    """Bound this process and all that comes from it, should the sandbox fail."""
    resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000_000, 200_000_000))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER: orphans come back to us


@contextlib.contextmanager
def servers() -> Iterator[tuple[socket.socket, socket.socket]]:
    """Listen where submissions will try to connect: TCP, and a name without a file."""
    with socket.create_server(("127.0.0.1", 0)) as internet, socket.socket(socket.AF_UNIX) as abstract:
        abstract.bind(f"\0{MARK}-{internet.getsockname()[1]}")
        abstract.listen()
        for server in (internet, abstract):
            server.setblocking(False)
        yield internet, abstract


def run(job: dict[str, Any]) -> dict[str, Any]:
    """Grade everything.

    Parameters
    ----------
    job
        `level` of isolation, `project` and `arena` (directories), `only` (names; all if empty).
    """
    project, arena = Path(job["project"]), Path(job["arena"])
    prepare_arena(arena, project)
    os.chdir(arena / "open")
    os.environ.update({"GRADER_SECRET": SECRETS["environment"], "HOME": str(arena)})
    protect_the_machine()
    # A warning that a submission can cause would reach the instructor's screen.
    warnings.simplefilter("error")
    with servers() as listening:
        judge = Judge(job["level"], project)
        report: dict[str, Any] = {
            "level": judge.isolation.level,
            "layers": judge.isolation.layers,
            "detail": judge.isolation.detail,
            "uid": os.getuid(),
            "submissions": {},
        }
        if judge.isolation.level != job["level"]:
            judge.close()
            return report
        places = {"arena": str(arena), "project": str(project), "port": str(listening[0].getsockname()[1])}
        hostiles = [read_hostile(path, project, judge.course, places) for path in sorted(FOLDER.glob("*.py"))]
        for name, path in make(project, arena):
            hostiles.append(Hostile(name, tuple(parse_outcome(OUTCOMES[name], judge.course)), {}, path))
        before, results = snapshot(arena), []
        for hostile in hostiles:
            if job["only"] and hostile.name not in job["only"]:
                continue
            # Should one hang the grader, the last line tells which.
            print(ascii(hostile.name), file=sys.stderr, flush=True)
            try:
                report["submissions"][hostile.name], result = judge.report(hostile)
                results.append(result)
            except Exception:  # that the grader fell over is a finding
                report["submissions"][hostile.name] = {"fell": traceback.format_exc()}
        report["reference"] = judge.points_of_the_reference()
        judge.close()
        report["processes_left"] = more_descendants_than(0)
        after = snapshot(arena)
        report["changed"] = sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))
        report["left_behind"] = left_behind(Path.cwd(), arena, judge.worker_folder)
        report["reports"] = complaints_about_reports(judge, results, arena / "handed-in" / "reports")
        report["connections"] = 0
        for server in listening:
            with contextlib.suppress(BlockingIOError):
                server.accept()
                report["connections"] += 1
    return report


if __name__ == "__main__":
    # Nothing but the report may go to standard output.
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as output:
        os.dup2(2, 1)
        task = json.load(sys.stdin)
        sys.path[:0] = [task["project"], *task["path"]]
        json.dump(run(task), output)
