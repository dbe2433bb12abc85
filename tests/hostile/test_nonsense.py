"""Whatever a submission returns, the grader gives a verdict, and does not say it again to the student.

The reference is graded with nonsense in the place of parts of its answers, and of what the probes report.
"""

from __future__ import annotations

import math
import random
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from notebook_tools import numpy_is_enough

from grader.cases.fresh import FreshCases
from grader.grading import CheckSession
from grader.results import Feedback, State
from grader.student.here import LocalStudent
from grader.worker.wire import Malformed, Opaque, Packer, unpack
from lesson.course import load_course

ROOT = Path(__file__).parents[2]
# Stands for a hidden input that an answer says again; no student may read it.
SECRET = "a CANARY of 0.123456789"
KEYS = ("fwd", "bwd", "total", "recompute", "overhead_vs_no_ckpt", "value", "reads", "handles", "0", "\ud800", SECRET)


def nonsense(rng: random.Random, depth: int = 0) -> Any:
    """Return a plain value that no check expects."""
    kinds = [
        lambda: None,
        lambda: rng.choice([True, False]),
        lambda: rng.choice([0, 1, -1, 2, 3, 7, 2**63, -(2**511), 2**511, 10**12]),
        lambda: rng.choice([0.0, -0.0, 1.5, -3.0, 1e308, -1e308, 5e-324, math.nan, math.inf, -math.inf]),
        lambda: rng.choice(["", "offload", "recompute", "attention", "\ud800", "x" * 1000, "1.0", "\x1b[2J", SECRET]),
        lambda: Opaque(0, rng.choice(["list", SECRET, f"array of dtype {SECRET}", f"array of shape {SECRET}"])),
        lambda: rng.choice([np.float16(1), np.float32(-1), np.int8(5), np.uint64(2**64 - 1), np.bool_(True)]),
        lambda: rng.choice([np.complex64(1j), np.complex128(math.nan), np.float64(math.inf), np.float32(math.nan)]),
        lambda: array(rng),
    ]
    if depth < 3:
        kinds += [
            lambda: [nonsense(rng, depth + 1) for _ in range(rng.randrange(5))],
            lambda: tuple(nonsense(rng, depth + 1) for _ in range(rng.randrange(5))),
            lambda: {rng.choice(KEYS): nonsense(rng, depth + 1) for _ in range(rng.randrange(5))},
        ]
    return rng.choice(kinds)()


def array(rng: random.Random) -> np.ndarray:
    shape = tuple(rng.choice([0, 1, 2, 3, 4, 5, 7]) for _ in range(rng.randrange(5)))
    dtype = rng.choice(["?", "i1", "u8", "i8", "f2", "f4", "f8", "c8", "c16"])
    fill = rng.choice([0, 1, 2, 100])
    made = np.full(shape, fill, dtype)
    if dtype.startswith(("f", "c")) and rng.random() < 0.3:
        made[...] = rng.choice([math.nan, math.inf, -math.inf, np.finfo(dtype).max])
    return made


def spoilt(value: Any, rng: random.Random, chance: float) -> Any:
    """Return an answer with nonsense in the place of some of its parts."""
    if rng.random() < chance:
        return nonsense(rng)
    if isinstance(value, dict):
        items = {key: spoilt(item, rng, chance) for key, item in value.items() if rng.random() > chance / 4}
        return {**items, rng.choice(KEYS): nonsense(rng)} if rng.random() < chance else items
    if isinstance(value, list | tuple):
        items = [spoilt(item, rng, chance) for item in value if rng.random() > chance / 4]
        if rng.random() < chance / 2:
            items.insert(rng.randrange(len(items) + 1), nonsense(rng))
        return (rng.choice([list, tuple]) if rng.random() < chance else type(value))(items)
    if isinstance(value, np.ndarray) and rng.random() < chance:
        changed = rng.choice(
            [value.T, value.ravel(), value[..., None], value[:0], -value, value.astype(int), value * 1e300, value[::2]]
            if value.ndim
            else [value, -value]
        )
        return np.array(changed)
    if isinstance(value, float | int) and not isinstance(value, bool) and rng.random() < chance:
        return rng.choice([-value, str(value), [value], np.array(value), np.array([value]), value * 1j, math.nan])
    return value


class Spoiler(LocalStudent):
    """The reference, some of whose answers and reports are replaced by nonsense."""

    def __init__(self, files: Any, functions: Any, rng: random.Random, chance: float) -> None:
        super().__init__(files, functions)
        self._rng = rng
        self._chance = chance

    def _request(self, request: dict[str, Any], function: str, **values: Any) -> Any:
        answer = super()._request(request, function, **values)
        packer = Packer(lambda value: 0)
        with np.errstate(all="ignore"):
            tree = packer.pack(spoilt(answer, self._rng, self._chance))
        try:
            return unpack(tree, packer.arrays)
        except Malformed:
            raise self._tampered(function) from None


# Nonsense about PyTorch is in tests/pytorch.
NUMPY_IS_ENOUGH = [topic.id for topic in load_course().topics if numpy_is_enough(topic.id)]


@pytest.mark.parametrize("chance", [0.02, 0.2, 1.0])
@pytest.mark.parametrize("topic", NUMPY_IS_ENOUGH)
def test_nonsense_is_wrong_and_no_fault_of_the_grader(course, topic, chance):
    rng = random.Random(f"{topic} {chance}")
    source = (ROOT / "solutions" / f"{topic}.py").read_bytes()
    checks = CheckSession(course, FreshCases(course, 3))
    lost = 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(12):
            student = Spoiler({f"{topic}.py": source}, course.functions, rng, chance)
            try:
                results = checks.grade(student, course.of_topic(topic))
            finally:
                student.close()
            for result in results:
                for check in result.checks:
                    lost += check.state is not State.PASSED
                    feedback = check.feedback or Feedback()
                    where = f"{result.exercise.id}.{check.check.id}"
                    assert check.state is not State.GRADER_ERROR, f"{where} {feedback.hidden}"
                    seen = f"{feedback.called} {feedback.got} {feedback.expected} {feedback.cause}"
                    assert "CANARY" not in seen, f"{where} {seen}"
    assert lost
