"""A student whose replies are tampered with before a check sees them."""

import random
from pathlib import Path

import numpy as np

from grader.student.here import LocalStudent
from grader.worker.wire import Opaque
from lesson.course import load_course

ROOT = Path(__file__).parents[1]
COURSE = load_course()


class Tamperer(LocalStudent):
    """The reference, some of whose replies are tampered with before a check sees them."""

    def __init__(self, seed, rate):
        files = {f"{topic.id}.py": (ROOT / "solutions" / f"{topic.id}.py").read_bytes() for topic in COURSE.topics}
        super().__init__(files, COURSE.functions)
        self._random = random.Random(seed)
        self._rate = rate

    def call(self, function, /, *args, **kwargs):
        return self._tampered(super().call(function, *args, **kwargs))

    def probe(self, name, /, **values):
        return self._tampered(super().probe(name, **values))

    def _tampered(self, value):
        """Replace some parts of a value, at any depth."""
        if self._random.random() < self._rate:
            return self._junk(value)
        if isinstance(value, list | tuple):
            return type(value)(self._tampered(item) for item in value)
        if isinstance(value, dict):
            return {key: self._tampered(item) for key, item in value.items()}
        return value

    def _junk(self, value):
        choose = self._random.choice
        # fmt: off
        if isinstance(value, np.ndarray) and self._random.random() < 0.6:
            return choose([
                value.T, value[:0], value[..., None], value.astype(np.float32), value.astype(np.float16),
                value.astype(np.int8), value > 0, value + 1j, value * np.nan, value * np.inf, -value, value.ravel(),
                value.sum(), np.asarray(value.sum()), list(value) if value.ndim else [], value * 2, value * 0,
            ])
        if isinstance(value, list | tuple) and self._random.random() < 0.6:
            return choose([
                value[:-1], value[1:], [*value, *value], list(value)[::-1], tuple(value), dict.fromkeys("ab", value),
                [value], (), [None] * len(value),
            ])
        if isinstance(value, int | float | np.number) and self._random.random() < 0.6:
            with np.errstate(all="ignore"):
                return choose([
                    -value, value * 2, value + 1, 0, -1, np.float32(value), np.array(value), float("nan"),
                    float("inf"), 2**500, True, str(value),
                ])
        return choose([
            None, True, False, 0, 1, -3, 2**511, -(2**511), 0.0, -0.0, 1e308, -1e308, 5e-324, float("nan"),
            float("inf"), -float("inf"), "", "offload", "x", Opaque(0, "generator"), Opaque(1, "an object"), [], (),
            {}, {"x": None}, [[]], [None], np.zeros(()), np.zeros(0), np.zeros((0, 3)), np.zeros((2, 2), bool),
            np.float16(3), np.int8(-3), np.bool_(True), np.complex64(1j), np.full(3, np.nan), np.arange(4),
            [[1, [2, 3]]], [(1, [None])], [(1, 2, 3)], [[1.0, 2.0]], {"forward": 1, "backward": "x"},
        ])
        # fmt: on
