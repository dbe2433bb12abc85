"""What a whole class costs: time per submission, and the grader's own memory, at several sizes.

Run by hand: python benchmarks/whole_class.py [SIZE ...]     (50 and 1000 by default)

The class is drawn from the collected right and wrong answers, the hostile submissions and some broken files. Hostile
ones wait for their deadlines, so wall time says little here; CPU time and memory are what should not grow.
"""

from __future__ import annotations

import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from grader.author.answers import read_answers
from lesson.course import load_course

ROOT = Path(__file__).parents[1]
BROKEN = {"empty.py": b"", "syntax.py": b"def relu(x:\n", "not_text.py": b"\xff\0", "no_archive.zip": b"none"}


def make_class(folder: Path, count: int, *, seed: int = 0, hostile: bool = True) -> None:
    """Write a class of `count` submissions: mostly honest, some broken, one in twenty hostile."""
    chance = random.Random(seed)
    folders = (ROOT / "tests" / "right_answers", ROOT / "tests" / "wrong_answers")
    answers = [answer for folder in folders for answer in read_answers(folder, load_course())]
    modules = {path.name: path.read_bytes() for path in (ROOT / "solutions").glob("*.py") if path.name != "__init__.py"}
    attacks = sorted((ROOT / "tests" / "hostile" / "submissions").glob("*.py"))
    for number in range(count):
        place = folder / f"s{number:04}"
        place.mkdir(parents=True)
        kind = number % 20
        if kind == 19 and hostile and attacks:
            (place / "answers.py").write_bytes(chance.choice(attacks).read_bytes())
        elif kind == 18:
            name, data = chance.choice(sorted(BROKEN.items()))
            (place / name).write_bytes(data)
        else:
            answer = chance.choice(answers)
            for name, data in {**modules, **answer.files(ROOT)}.items():
                (place / name).write_bytes(data)


def main() -> None:
    """Grade classes of several sizes and print a table."""
    sizes = [int(argument) for argument in sys.argv[1:]] or [50, 1000]
    print(f"{'size':>6}{'wall s':>9}{'CPU s':>9}{'CPU ms each':>13}{'peak MB of the grader':>23}   states")
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder:
            make_class(Path(folder, "class"), size)
            command = [sys.executable, "-c", _PROGRAM, "run", "class", "--output", "grades", "--jobs", "2"]
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            started = time.perf_counter()
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
            wall = time.perf_counter() - started
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            results = json.loads(Path(folder, "grades", "results.json").read_text(encoding="utf-8"))["submissions"]
            peak = int(done.stderr.rpartition("peak ")[2].split()[0]) / 1000
            states: dict[str, int] = {}
            for result in results:
                states[result["state"]] = states.get(result["state"], 0) + 1
            print(f"{size:6}{wall:9.1f}{cpu:9.1f}{1000 * cpu / size:13.1f}{peak:23.1f}   {states}")


_PROGRAM = """
import resource, sys
from grader.commands.main import main
try:
    main()
finally:
    print("peak", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)
"""

if __name__ == "__main__":
    os.environ.setdefault("COLUMNS", "100")
    main()
