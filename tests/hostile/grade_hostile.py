"""Grade hostile submissions as `grader run` would, in a process of its own, and report what they achieved.

The program reads a job as JSON from standard input and writes a report as JSON to standard output:

    python grade_hostile.py < job.json

A process of its own keeps the test session safe if something goes wrong, can run as another user, and can count
everything that is left behind: orphans of its children become its own children.
"""

from __future__ import annotations

import ctypes
import gc
import io
import json
import os
import re
import resource
import socket
import sys
import time
import unicodedata
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HEADER = re.compile(r"^# (topic|outcome|seconds|total|alone): *(.*)$", re.MULTILINE)
# What a student must never see. Files of the arena, the environment and a hidden input hold one each.
SECRETS = {place: f"CANARY-{place}-{number}" for place, number in (("solutions", 5021), ("others", 6133),
                                                                   ("environment", 7247), ("inputs", 8369))}  # fmt: skip
# Part of the name of every file that a submission tries to leave behind.
MARK = "left-by-a-hostile"
SEED = 4711


@dataclass(frozen=True)
class Hostile:
    """A hostile submission and what it must end with.

    Attributes
    ----------
    outcome
        For each exercise of the topic: points, and the states that are right.
    files
        What is handed in; empty for one that is read from `path`.
    seconds, total
        Deadline of each call and of all calls together.
    """

    name: str
    topic: str
    outcome: dict[str, tuple[int, tuple[str, ...]]]
    files: dict[str, bytes]
    path: str = ""
    seconds: float = 10.0
    total: float = 60.0


def parse_outcome(text: str) -> dict[str, tuple[int, tuple[str, ...]]]:
    """Read "step1 7 failed, step2 0 crashed or timeout"."""
    outcome = {}
    for part in text.split(","):
        exercise, points, states = part.split(maxsplit=2)
        outcome[exercise] = (int(points), tuple(states.split(" or ")))
    return outcome


def read_hostile(path: Path, project: Path, arena: Path) -> Hostile:
    """Read a file of `submissions/`; appended to the solution of its topic unless it stands alone."""
    text = path.read_text(encoding="utf-8")
    header = dict(HEADER.findall(text))
    source = text.replace("@arena@", str(arena)).replace("@project@", str(project))
    if header.get("alone") != "yes":
        source = (project / "solutions" / f"{header['topic']}.py").read_text(encoding="utf-8") + "\n\n" + source
    return Hostile(
        path.stem, header["topic"], parse_outcome(header["outcome"]), {f"{header['topic']}.py": source.encode()},
        seconds=float(header.get("seconds", 10)), total=float(header.get("total", 60)),
    )  # fmt: skip


# --- submissions that are too large or too strange to be kept as files ------------------------------


def generated(project: Path, arena: Path) -> list[Hostile]:
    """Make the hostile submissions that are folders, archives, huge or full of odd characters."""
    right = (project / "solutions" / "selective.py").read_bytes()
    stub = b"def should_recompute(layer_type, activation_bytes, recompute_flops_ratio):\n    return None\n"
    passed, failed = "step7 8 passed", "step7 0 failed"
    sources = {
        "parser_bomb_of_parentheses": (b"x = " + b"(" * 100_000 + b")" * 100_000 + b"\n" + right, "step7 0 error"),
        "parser_bomb_of_unary_operators": (
            b"x = " + b"-" * 200_000 + b"1\n" + right, "step7 0 error or crashed or memory"
        ),
        "parser_bomb_of_attributes": (
            b"x = a" + b".a" * 150_000 + b"\n" + right, "step7 0 error or crashed or memory"
        ),
        "parser_bomb_of_lambdas": (
            b"x = " + b"lambda: " * 50_000 + b"0\n" + right, "step7 0 error or crashed or memory"
        ),
        "parser_bomb_of_blocks": (
            b"".join(b" " * i + b"if 1:\n" for i in range(1_000)) + b" " * 1_000 + b"pass\n" + right, "step7 0 error"
        ),
        "compiler_bomb_of_constants": (b"x = " + b"+".join([b"1"] * 60_000) + b"\n" + right,
                                       "step7 0 error or crashed or memory"),
        "megabyte_on_one_line": (b"x = [" + b"1, " * 350_000 + b"]\n" + right, passed),
        "megabyte_of_comment": (b"#" + b"\xe2\x80\xae" * 350_000 + b"\n" + right, passed),
        "hard_coded_public_cases": (_lookup_of_public_cases(), "step7 0 failed or error"),
    }  # fmt: skip
    made = [
        Hostile(name, "selective", parse_outcome(outcome), {"selective.py": source})
        for name, (source, outcome) in sources.items()
    ]
    made.append(
        Hostile(
            "hard_coded_public_numbers", "cost_model",
            # Models of one and of two layers are the same in every set of cases.
            parse_outcome("step4 0 failed or error, step5 0 failed or error, step6 1 failed or error"),
            {"cost_model.py": _lookup_of_public_cases()},
        )
    )  # fmt: skip
    made.append(
        Hostile(
            "hard_coded_public_arrays", "recompute",
            parse_outcome("step1 0 failed or error, step2 0 failed or error, step3 0 failed or error"),
            {"recompute.py": _lookup_of_public_cases()},
        )
    )  # fmt: skip
    taken_over = {
        "conftest.py": b"import pytest\n@pytest.hookimpl(tryfirst=True)\ndef pytest_pyfunc_call(pyfuncitem): return True\n",
        "pytest.ini": b"[pytest]\naddopts = --collect-only\n",
        "sitecustomize.py": b"import os\nos._exit(0)\n",
        "numpy.py": b"raise SystemExit\n",
        "pytest.py": b"raise SystemExit\n",
        "grader/__init__.py": b"raise SystemExit\n",
        "grader/report.py": b"raise SystemExit\n",
        "solutions/selective.py": b"raise SystemExit\n",
        "evil.pth": b"import os; os._exit(0)\n",
        "selective.pyc": b"\0\0\0\0",
        "results.json": b'{"score": 100}',
    }
    folders = {
        "ships_a_conftest": ({**taken_over, "selective.py": right}, passed),
        "ships_a_conftest_and_nothing_right": ({**taken_over, "selective.py": stub}, failed),
        "file_names_that_steer_the_terminal": (
            {"\x1b]0;owned\x07\u202e<script>alert(1)</script>.py": right.replace(b"match layer_type", b"raise ValueError(__file__)\n    match layer_type")},
            "step7 0 error",
        ),
        "file_name_with_a_formula": ({"=cmd|' /C calc'!A0.py": right}, passed),
        "unicode_module_names": ({"sélectif_\u4e2d.py": right, "selective.py": "from sélectif_\u4e2d import *\n".encode()}, passed),
    }  # fmt: skip
    for name, (files, outcome) in folders.items():
        folder = arena / "handed-in" / name
        for file, data in files.items():
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
            (folder / file).write_bytes(data)
        made.append(Hostile(name, "selective", parse_outcome(outcome), {}, str(folder)))
    for name, target in (
        ("symbolic_link_to_the_solutions", arena / "solutions" / "selective.py"),
        ("symbolic_link_to_a_device", Path("/dev/zero")),
    ):
        folder = arena / "handed-in" / name
        folder.mkdir(parents=True)
        (folder / "selective.py").symlink_to(target)
        made.append(Hostile(name, "selective", parse_outcome("step7 0 ungradable"), {}, str(folder)))
    made += _archives(arena / "handed-in", right)
    return made


def _archives(folder: Path, right: bytes) -> list[Hostile]:
    def archive(name: str, outcome: str, members: dict[str, bytes], mode: int = 0) -> Hostile:
        path = folder / f"{name}.zip"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
            for member, data in members.items():
                information = zipfile.ZipInfo(member)
                information.external_attr = mode << 16
                information.compress_type = zipfile.ZIP_DEFLATED
                file.writestr(information, data)
        return Hostile(name, "selective", parse_outcome(outcome), {}, str(path))

    return [
        archive("archive_bomb", "step7 0 ungradable", {"selective.py": b" " * 100_000_000}),
        archive("archive_that_points_outside", "step7 0 ungradable", {f"../../{MARK}.py": right}),
        archive("archive_with_an_absolute_name", "step7 0 ungradable", {f"/tmp/{MARK}.py": right}),
        archive(
            "archive_with_a_symbolic_link", "step7 0 ungradable", {"selective.py": b"/etc/passwd"}, mode=0o120777
        ),
    ]  # fmt: skip


def _lookup_of_public_cases() -> bytes:
    """Return a submission that knows the answer to every recorded case, and nothing else."""
    from grader.cases.recorded import RecordedCases
    from lesson.course import load_course

    lines = ["import numpy as np", "from numpy import array, float32, float64", "known = {}"]
    lines.append("def key(f, a): return f, repr([np.asarray(x).tolist() if isinstance(x, np.ndarray) else x for x in flat(a)])")
    lines.append("def flat(v):")
    lines.append("    return [y for x in v for y in flat(x)] if isinstance(v, (list, tuple)) else [v]")
    functions = set()
    with_arrays = "array({!r}, dtype='{}').reshape({})"

    def literal(value: Any) -> str:
        import numpy as np

        if isinstance(value, np.ndarray):
            return with_arrays.format(value.ravel().tolist(), value.dtype, value.shape)
        if isinstance(value, list | tuple):
            return f"[{', '.join(map(literal, value))}]"
        if isinstance(value, dict):
            return "{" + ", ".join(f"{name!r}: {literal(item)}" for name, item in value.items()) + "}"
        return repr(value)

    cases = RecordedCases()
    for exercise in load_course().exercises:
        for group in cases.of(exercise.id).values():
            for case in group:
                if case.expected is None or sum(map(_size, case.inputs.values())) > 2_000:
                    continue
                functions.add(case.function)
                inputs, answer = literal(list(case.inputs.values())), literal(case.expected)
                lines.append(f"known[key({case.function!r}, {inputs})] = {answer}")
    for function in sorted(functions):
        lines.append(f"def {function}(*args): return known[key({function!r}, args)]")
    return "\n".join(lines).encode()


def _size(value: Any) -> int:
    if isinstance(value, list | tuple):
        return sum(map(_size, value))
    return int(getattr(value, "size", 1))


# --- hidden inputs with a secret in them ------------------------------------------------------------


def secret_cases(course: Any) -> Any:
    """Return fresh cases; one layer of step 7 has a secret for its name."""
    from grader.cases.case import Case
    from grader.cases.fresh import FreshCases

    class SecretCases(FreshCases):
        def of(self, exercise_id: str) -> Any:
            groups = dict(super().of(exercise_id))
            if exercise_id == "step7":
                inputs = {"layer_type": SECRETS["inputs"], "activation_bytes": 3.1e9, "recompute_flops_ratio": 0.01}
                groups["others"] = [self._secret(Case, inputs), *groups["others"]]
            return groups

        # The same object each time, as answers are remembered by the case.
        def _secret(self, case: Any, inputs: dict[str, Any]) -> Any:
            if not hasattr(self, "_kept"):
                self._kept = case("should_recompute", inputs, False)
            return self._kept

    return SecretCases(course, SEED)


def numbers_in(value: Any) -> set[str]:
    """Return how the floating numbers in a nest begin when they are written out."""
    import numpy as np

    if isinstance(value, np.ndarray):
        return {_digits(number) for number in value.ravel().tolist()} if value.dtype.kind == "f" else set()
    if isinstance(value, dict):
        return set().union(*map(numbers_in, value.values()))
    if isinstance(value, list | tuple):
        return set().union(*map(numbers_in, value))
    return {_digits(value)} if isinstance(value, float) else set()


def _digits(number: float) -> str:
    return repr(abs(number))[:10]


# --- what the machine looks like --------------------------------------------------------------------


def descendants() -> set[int]:
    """Return the processes that come from this one; with the orphans, which have come back to it."""
    parents = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                fields = Path("/proc", entry, "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if fields[0] != "Z":
                parents[int(entry)] = int(fields[1])
    found = {os.getpid()}
    while True:
        more = {pid for pid, parent in parents.items() if parent in found} - found
        if not more:
            return found - {os.getpid()}
        found |= more


def settled_descendants(expected: int) -> int:
    """Count the descendants when they have become as few as expected, or after a second."""
    for _ in range(50):
        count = len(descendants())
        if count <= expected:
            return count
        time.sleep(0.02)
    return count


def snapshot(arena: Path) -> dict[str, str]:
    """Return the files of the arena with their content."""
    return {
        str(path.relative_to(arena)): path.read_bytes().decode("latin-1")
        for path in sorted(arena.rglob("*"))
        if path.is_file() and "handed-in" not in path.parts
    }


def left_behind(arena: Path, worker: Path) -> list[str]:
    """Return the files that submissions have managed to write somewhere."""
    places = [Path("/tmp"), Path("/var/tmp"), Path("/dev/shm"), Path.cwd(), Path.home(), arena, worker]  # noqa: S108
    found = []
    for place in places:
        try:
            found += [entry.path for entry in os.scandir(place) if MARK in entry.name]
        except OSError:
            continue
    return found


def peak_megabytes() -> float:
    """Return the most memory this process has had since `reset_peak`."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024 / 1e6
    return 0.0


def reset_peak() -> None:
    gc.collect()
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        pass


# --- grading ----------------------------------------------------------------------------------------


class Judge:
    """The trusted side of a run, put together as in `grader.classroom`."""

    def __init__(self, level: str, project: Path, arena: Path) -> None:
        from grader.cases.fresh import reference_functions
        from grader.grading import CheckSession
        from grader.isolation.sandbox import detect
        from grader.isolation.zygote import Zygote
        from lesson.course import load_course

        self.isolation = detect(level)
        self.course = load_course()
        self._reference = reference_functions(self.course)
        cases = secret_cases(self.course)
        self._numbers = {
            digits
            for exercise in self.course.exercises
            for group in cases.of(exercise.id).values()
            for case in group
            for digits in numbers_in([dict(case.inputs), case.expected])
            if len(digits) == 10
        }
        self._checks = CheckSession(self.course, cases)
        self.zygote = Zygote(self.isolation)
        self.worker = self.zygote._folder
        # This one also says a word where an earlier submission may have jammed something.
        right = (project / "solutions" / "selective.py").read_bytes()
        word = b"\n\nimport os, sys\nsys.__stderr__.write('hello\\n')\nsys.__stderr__.flush()\nos.write(1, b'hello\\n')\n"
        self._control = Hostile("control", "selective", {}, {"selective.py": right + word}, seconds=3)
        self._project = project
        self._arena = arena
        self.grade(self._control)
        self._processes = len(descendants())

    def close(self) -> None:
        self._checks.close()
        self.zygote.close()

    def report(self, hostile: Hostile) -> dict[str, Any]:
        """Grade one submission, then the control, and look at what has changed."""
        reset_peak()
        before = peak_megabytes()
        started = time.perf_counter()
        result, student = self.grade(hostile)
        seconds = time.perf_counter() - started
        grown = peak_megabytes() - before
        control, _ = self.grade(self._control)
        visible = visible_text(result)
        return {
            "exercises": {
                exercise.exercise.id: [exercise.points, exercise.state.value] for exercise in result.exercises
            },
            "checks": [
                f"{exercise.exercise.id}.{check.check.id} {check.state.value}: {_told(check)}"
                for exercise in result.exercises
                for check in exercise.checks
                if check.state.value != "passed"
            ],
            "problem": result.problem,
            "leaks": self._leaks(visible),
            "steers": steering_characters(result),
            "control": control.exercises[0].points,
            "processes": settled_descendants(self._processes) - self._processes,
            "trusted_mb": round(grown),
            "seconds": round(seconds, 2),
            "cpu_seconds": round(student.cpu_seconds, 2) if student else 0.0,
        }

    def grade(self, hostile: Hostile) -> tuple[Any, Any]:
        from grader.classroom import ungradable
        from grader.isolation.remote import RemoteStudent
        from grader.report import SubmissionResult
        from grader.submissions import Submission, read_submission

        submission = Submission(hostile.name, "", hostile.files)
        if hostile.path:
            submission = read_submission(Path(hostile.path))
        if submission.problem:
            return ungradable(self.course, submission), None
        student = RemoteStudent(
            self.zygote, submission.files, self.course.functions, self._reference, hostile.seconds, hostile.total
        )
        exercises = self.course.of_topic(hostile.topic) if hostile.topic else self.course.exercises
        try:
            graded = self._checks.grade(student, exercises)
        finally:
            student.close()
        return SubmissionResult(submission.id, "", graded, submission.notes), student

    def whole_course(self) -> int | None:
        """Return the points of the whole reference."""
        files = {
            f"{topic.id}.py": (self._project / "solutions" / f"{topic.id}.py").read_bytes()
            for topic in self.course.topics
        }
        return self.grade(Hostile("whole", "", {}, files))[0].points  # type: ignore[no-any-return]

    def _leaks(self, visible: str) -> list[str]:
        found = [place for place, secret in SECRETS.items() if secret in visible]
        numbers = re.findall(r"\d+\.\d+(?:e-?\d+)?", visible)
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


def _told(check: Any) -> str:
    return "" if check.feedback is None else f"{check.feedback.got} | {check.feedback.hidden[-500:]}"


def steering_characters(result: Any) -> str:
    """Write the result everywhere it can be written so far, and return what could steer a terminal."""
    from rich.console import Console

    from grader.formats import results_json
    from grader.formats.terminal import print_submission
    from grader.report import Run

    run = Run(SEED, "none", "", (result,))
    json.dumps(results_json.to_dict(run), allow_nan=False).encode()
    text = io.StringIO()
    console = Console(file=text, width=100, color_system=None)
    for instructor in (True, False):
        print_submission(console, result, instructor=instructor)
    written = text.getvalue()
    written.encode()
    return "".join(sorted({c for c in written if c != "\n" and unicodedata.category(c)[0] == "C"}))


def prepare_arena(arena: Path, project: Path) -> None:
    """Put in place what submissions try to read; only the sandbox keeps them from it."""
    for name, place in (("solutions", arena / "solutions"), ("others", arena / "others" / "somebody")):
        place.mkdir(parents=True)
        for topic in ("recompute", "cost_model", "selective"):
            text = (project / "solutions" / f"{topic}.py").read_text(encoding="utf-8")
            (place / f"{topic}.py").write_text(f"# {SECRETS[name]}\n{text}", encoding="utf-8")
    (arena / "open").mkdir()
    (arena / "handed-in").mkdir()
    (arena / "results.json").write_text('{"points": 0}')
    for path in arena.rglob("*"):
        path.chmod(0o777 if path.name == "open" else 0o755 if path.is_dir() else 0o644)
    (arena / "results.json").chmod(0o666)


def main() -> dict[str, Any]:
    job = json.load(sys.stdin)
    project, arena = Path(job["project"]), Path(job["arena"])
    sys.path[:0] = [str(project), *job["path"]]
    if os.geteuid() != 0:
        # As an installed grader would be: the worker's interpreter cannot read what only root may.
        os.environ["HOME"] = str(arena)
    prepare_arena(arena, project)
    os.chdir(arena / "open")
    os.environ["GRADER_SECRET"] = SECRETS["environment"]
    # Should the sandbox fail, this process and what comes from it still cannot take the machine down.
    resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000_000, 200_000_000))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER: orphans come back to us
    listening = socket.create_server(("127.0.0.1", 0))
    abstract = socket.socket(socket.AF_UNIX)
    abstract.bind(f"\0{MARK}-{os.getppid()}")
    abstract.listen()
    for server in (listening, abstract):
        server.setblocking(False)
    (arena / "port").write_text(str(listening.getsockname()[1]))
    judge = Judge(job["level"], project, arena)
    report: dict[str, Any] = {
        "level": judge.isolation.level, "layers": judge.isolation.layers, "detail": judge.isolation.detail,
        "submissions": {}, "uid": os.getuid(),
    }  # fmt: skip
    if judge.isolation.level != job["level"]:
        judge.close()
        return report
    folder = Path(__file__).with_name("submissions")
    hostiles = [read_hostile(path, project, arena) for path in sorted(folder.glob("*.py"))]
    hostiles += generated(project, arena)
    before = snapshot(arena)
    for hostile in hostiles:
        if not job["only"] or hostile.name in job["only"]:
            text = next(iter(hostile.files.values()), b"").replace(b"@port@", str(listening.getsockname()[1]).encode())
            files = {**hostile.files, **({next(iter(hostile.files)): text} if hostile.files else {})}
            ready = Hostile(**{**vars(hostile), "files": files})
            # Should a submission hang the grader, the last line tells which.
            print(hostile.name, file=sys.stderr, flush=True)
            try:
                report["submissions"][hostile.name] = judge.report(ready)
            except Exception as error:  # noqa: BLE001 - that the grader fell over is the finding
                import traceback

                report["submissions"][hostile.name] = {"fell": traceback.format_exc(), "error": repr(error)}
    report["whole_course"] = judge.whole_course()
    report["zygote_alive"] = judge.zygote._process.poll() is None
    judge.close()
    report["processes_left"] = settled_descendants(0)
    after = snapshot(arena)
    report["changed"] = sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))
    report["left_behind"] = left_behind(arena, judge.worker)
    report["connections"] = []
    for server in (listening, abstract):
        try:
            report["connections"].append(str(server.accept()[1]))
        except BlockingIOError:
            pass
    return report


if __name__ == "__main__":
    # Nothing but the report may go to standard output.
    output = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    output.write(json.dumps(main()))
    output.flush()
