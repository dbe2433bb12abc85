"""The grader is graded: every wrong answer loses exactly its own points, and no right one loses any."""

import gc
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from notebook_tools import numpy_is_enough

from grader.author.answers import Answer, read_answers
from grader.author.check import AuthorCheck
from grader.author.generated import outdated
from lesson.course import load_course

ROOT = Path(__file__).parents[2]
COURSE = load_course()
WRONG = list(read_answers(ROOT / "tests" / "wrong_answers", COURSE))
RIGHT = list(read_answers(ROOT / "tests" / "right_answers", COURSE))
# The others are graded in tests/pytorch.
# The kernels that NumPy's BLAS selects on processors of three ages, with what a processor must have to run them.
KERNELS = {"Prescott": {"pni"}, "Haswell": {"avx2", "fma"}, "SkylakeX": {"avx512f", "avx512dq", "avx512bw", "avx512vl"}}
NUMPY_IS_ENOUGH = [answer for answer in (*WRONG, *RIGHT) if numpy_is_enough(answer.topic)]


@pytest.fixture(scope="module")
def checks():
    author_check = AuthorCheck(ROOT, COURSE)
    # The checks that measure memory collect garbage; what is here already need not be looked at each time.
    gc.collect()
    gc.freeze()
    yield author_check
    gc.unfreeze()


@pytest.mark.parametrize("answer", NUMPY_IS_ENOUGH, ids=lambda answer: answer.name)
def test_an_answer_loses_exactly_what_it_should(checks: AuthorCheck, answer: Answer):
    assert answer.complaints(checks.grade(answer)) == []


def features_of_this_processor() -> set[str]:
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text(encoding="utf-8").splitlines() if cpuinfo.exists() else []
    return set(next((line for line in lines if line.startswith("flags")), "").split())


@pytest.mark.slow
@pytest.mark.parametrize("kernel", KERNELS)
def test_right_answers_lose_nothing_whatever_rounding_the_processor_and_the_inputs_bring(kernel: str):
    if not features_of_this_processor() >= KERNELS[kernel]:
        pytest.skip(f"this processor cannot run the kernel {kernel}")
    program = [sys.executable, str(Path(__file__).with_name("grade_right_answers.py")), "1", "2", "3"]
    environment = {**os.environ, "OPENBLAS_CORETYPE": kernel}
    done = subprocess.run(program, capture_output=True, text=True, check=True, timeout=900, env=environment)
    graded = sum(answer in NUMPY_IS_ENOUGH for answer in RIGHT)
    assert done.stdout == f"graded {graded} right answers\n"


def test_wrong_answers_lose_something_and_right_ones_nothing():
    assert all(answer.loses for answer in WRONG)
    assert not any(answer.loses for answer in RIGHT)


def test_every_check_has_a_wrong_answer_that_only_it_catches():
    alone = {next(iter(answer.loses)) for answer in WRONG if len(answer.loses) == 1}
    every = {f"{exercise.id}.{check.id}" for exercise in COURSE.exercises for check in exercise.checks}
    assert every - alone == set()


def test_answers_name_only_checks_that_exist():
    every = {f"{exercise.id}.{check.id}" for exercise in COURSE.exercises for check in exercise.checks}
    assert {name for answer in WRONG for name in answer.loses} <= every


def test_there_are_many_different_answers():
    assert len(WRONG) >= 60
    assert len(RIGHT) >= 25
    sources = Counter(answer.path.read_text(encoding="utf-8").partition('"""\n')[2] for answer in [*WRONG, *RIGHT])
    assert [source for source, count in sources.items() if count > 1] == []


def test_generated_files_are_current():
    assert outdated(ROOT, COURSE) == []


def test_the_author_check_finds_nothing_to_complain_about_beside_the_answers(checks: AuthorCheck):
    parts = [part for part in checks.parts() if part.answer is None]
    assert [part.name for part in parts] == ["TODOs", "generated files", "stubs", "solutions"]
    assert list(checks.examine(parts)) == [[], [], [], []]
