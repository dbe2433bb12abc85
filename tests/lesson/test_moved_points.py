"""Points stand in the course file alone: when all of them change, no test has to."""

import itertools
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# Where points are added up, written down and read: what is not there costs minutes and says nothing of them.
TESTS = [
    "tests/classroom/test_complaints.py",
    "tests/commands/test_commands.py",
    "tests/formats",
    "tests/grading",
    "tests/lesson/test_course_file.py",
    "tests/notebooks/test_check_in_a_cell.py",
]
SUM = "test_the_course_without_its_bonus_is_worth_100_points"


@pytest.mark.slow
def test_no_test_repeats_a_point(tmp_path):
    ignore = shutil.ignore_patterns("__pycache__", "node_modules")
    for name in ("grader", "lesson", "notebooks", "outputs", "solutions", "student_template", "tests"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=ignore)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tmp_path)
    course = tmp_path / "lesson" / "course.toml"
    # No two checks are worth the same, and none is worth what it was.
    worth = itertools.count(11)
    course.write_text(
        re.sub(r"(?<=, points = )\d+", lambda _found: str(next(worth)), course.read_text("utf-8")), "utf-8"
    )

    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", f"not {SUM}", *TESTS],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-5000:]
