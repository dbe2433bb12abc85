"""What grading one submission costs, next to plain pytest on the same questions.

Run by hand: python benchmarks/per_submission.py [COUNT]

Prints wall and CPU seconds per submission for `grader run` with and without isolation, over COUNT submissions in one
call (50 by default), and for one `python -m pytest` for each submission on an equivalent plain test file. All are
measured in one run on one machine, so that the ratios mean something.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from grader.classroom.room import Classroom, Settings
from grader.files import Submission
from grader.isolation.sandbox import Isolation, detect
from lesson.course import load_course

ROOT = Path(__file__).parents[1]
WHOLE = load_course()
# The seven steps, which the plain test file asks too.
COURSE = replace(WHOLE, exercises=tuple(e for e in WHOLE.exercises if e.id.startswith("step")))
SEED = 4

# The same calls with the same answers as the seven steps, as a plain test file would hold them.
PLAIN_TEST = """
import sys
import numpy as np
sys.path[:0] = [{submission!r}, {root!r}]
import recompute, cost_model, selective
from grader.cases.fresh import FreshCases
from grader.checks.comparing import difference
from lesson.course import load_course

CASES = FreshCases(load_course(), {seed})

def check(exercise, module):
    for cases in CASES.of(exercise).values():
        for case in cases:
            if case.expected is not None and exercise != "step3":
                got = getattr(module, case.function)(*case.inputs.values())
                if exercise != "step5":
                    assert difference(got, case.expected) is None

def test_step1(): check("step1", recompute)
def test_step2(): check("step2", recompute)
def test_step3():
    for cases in CASES.of("step3").values():
        for case in cases:
            x, params, k = (case.inputs[name] for name in ("x", "params", "k"))
            output, saved = recompute.model_forward_checkpointed(x, params, k)
            grads = recompute.model_backward_checkpointed(np.ones_like(x), saved, params, k)
def test_step4(): check("step4", cost_model)
def test_step5(): check("step5", cost_model)
def test_step6(): check("step6", cost_model)
def test_step7(): check("step7", selective)
"""


def main() -> None:
    """Measure and print."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 50
    files = {f"{topic.id}.py": (ROOT / "solutions" / f"{topic.id}.py").read_bytes() for topic in COURSE.topics}
    rows = [(f"grader, {level}", grade_with(isolation, files, count)) for level, isolation in levels()]
    rows.append(("python -m pytest, no isolation", plain_pytest(files, max(3, count // 10))))
    print(f"{'':34}{'wall ms':>10}{'CPU ms':>10}   per submission")
    for name, (wall, cpu) in rows:
        print(f"{name:34}{1000 * wall:10.1f}{1000 * cpu:10.1f}")


def levels() -> list[tuple[str, Isolation]]:
    """Return what can be measured here."""
    found = [detect("bwrap"), detect("landlock"), Isolation("none")]
    return list({isolation.level: (isolation.level, isolation) for isolation in found}.values())


def grade_with(isolation: Isolation, files: dict[str, bytes], count: int) -> tuple[float, float]:
    """Return wall and CPU seconds per submission, the children's included, without the start of the class."""
    room = Classroom(COURSE, Settings(SEED, isolation))
    room.grade(Submission("warm-up", "", files))
    child_cpu = 0.0

    def grade() -> None:
        nonlocal child_cpu
        result = room.grade(Submission("s", "", files))
        assert result.points == COURSE.points, f"{result.points} points under {isolation.level}"
        child_cpu += result.cpu_seconds

    wall, cpu = measured(lambda: [grade() for _ in range(count)])
    room.close()
    return wall / count, (cpu + child_cpu) / count


def plain_pytest(files: dict[str, bytes], count: int) -> tuple[float, float]:
    """Return wall and CPU seconds of one `python -m pytest` for each submission."""
    with tempfile.TemporaryDirectory() as folder:
        for name, data in files.items():
            Path(folder, name).write_bytes(data)
        test = Path(folder, "test_plain.py")
        test.write_text(PLAIN_TEST.format(submission=folder, root=str(ROOT), seed=SEED), encoding="utf-8")
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(test)]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        started = time.perf_counter()
        for _ in range(count):
            subprocess.run(command, check=True, capture_output=True, cwd=folder)
        wall = time.perf_counter() - started
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return wall / count, cpu / count


def measured(work: Callable[[], object]) -> tuple[float, float]:
    """Return wall and CPU seconds of this process."""
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - cpu


if __name__ == "__main__":
    main()
